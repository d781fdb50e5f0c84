import { ContextMenu as Kobalte } from '@kobalte/core/context-menu';
import type { JSX, ParentProps } from 'solid-js';
import './menu.css';

interface Props {
  readonly class: string;
  readonly label: string;
  readonly menu: JSX.Element;
  /** Before the menu opens; told of what was pressed. */
  readonly onOpening: (event: Event) => void;
  /** Takes the focus back. */
  readonly onClosed: () => void;
}

/** An area with a menu at the pointer: second button, long press, or an event `contextmenu` made for a key. */
export function ContextMenu(props: ParentProps<Props>) {
  let touched: Event | undefined; // where there is no event `contextmenu` for a long press
  function onOpen(open: boolean): void {
    if (open && touched) props.onOpening(touched);
    touched = undefined;
  }
  return (
    <Kobalte preventScroll={false} modal={false} onOpenChange={onOpen}>
      <Kobalte.Trigger
        class={props.class}
        onPointerDown={(event: PointerEvent) => {
          touched = event.pointerType === 'mouse' ? undefined : event;
        }}
        onContextMenu={(event: MouseEvent) => {
          touched = undefined;
          props.onOpening(event);
        }}
      >
        {props.children}
      </Kobalte.Trigger>
      <Kobalte.Portal>
        <Kobalte.Content
          class="menu"
          aria-label={props.label}
          aria-labelledby={undefined}
          onContextMenu={(event: MouseEvent) => event.preventDefault()}
          onCloseAutoFocus={(event: Event) => {
            event.preventDefault();
            props.onClosed();
          }}
        >
          {props.menu}
        </Kobalte.Content>
      </Kobalte.Portal>
    </Kobalte>
  );
}
