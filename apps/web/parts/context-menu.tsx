import { ContextMenu as Kobalte } from '@kobalte/core/context-menu';
import type { JSX, ParentProps } from 'solid-js';
import { useApp } from '../app/context.ts';
import { createLater, Later } from './menu-later.ts';
import './menu.css';

interface Props {
  readonly class: string;
  readonly label: string;
  readonly menu: JSX.Element;
  /** Called with the triggering event before the menu opens. */
  readonly onOpening: (event: Event) => void;
  /** Called after the menu has closed, to restore the focus. */
  readonly onClosed: () => void;
}

/** An area with a context menu, opened by right-click, long press or a `contextmenu` event dispatched for a key. */
export function ContextMenu(props: ParentProps<Props>) {
  const { place } = useApp();
  const later = createLater();
  let touched: Event | undefined; // some browsers fire no `contextmenu` event on a long press
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
      <Kobalte.Portal {...place.portal}>
        <Kobalte.Content
          class="menu"
          aria-label={props.label}
          aria-labelledby={undefined}
          onContextMenu={(event: MouseEvent) => event.preventDefault()}
          onCloseAutoFocus={(event: Event) => {
            event.preventDefault();
            props.onClosed();
            queueMicrotask(later.run);
          }}
        >
          <Later.Provider value={later.choose}>{props.menu}</Later.Provider>
        </Kobalte.Content>
      </Kobalte.Portal>
    </Kobalte>
  );
}
