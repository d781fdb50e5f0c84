import { DropdownMenu } from '@kobalte/core/dropdown-menu';
import Check from 'lucide-solid/icons/check';
import { For, type JSX, type ParentProps, Show, useContext } from 'solid-js';
import { useApp } from '../app/context.ts';
import { createLater, Later } from './menu-later.ts';
import { Name } from './name.tsx';
import './menu.css';

interface MenuProps {
  readonly label: string;
  readonly icon: JSX.Element;
  readonly class: string;
  readonly text?: string;
  /** Called after the focus has returned to the button. */
  readonly onClosed?: () => void;
}

export function Menu(props: ParentProps<MenuProps>) {
  const { place } = useApp();
  const later = createLater();
  function onClosed(): void {
    props.onClosed?.();
    later.run();
  }
  return (
    <DropdownMenu gutter={4} preventScroll={false} modal={false}>
      <DropdownMenu.Trigger class={props.class} aria-label={props.label} title={props.label}>
        {props.icon}
        <Show when={props.text}>
          <span class="menu-text">{props.text}</span>
        </Show>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal {...place.portal}>
        <DropdownMenu.Content class="menu" onCloseAutoFocus={() => queueMicrotask(onClosed)}>
          <Later.Provider value={later.choose}>{props.children}</Later.Provider>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}

interface ItemProps {
  readonly label: string;
  readonly hint?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Why the item is disabled; undefined while it is enabled. */
  readonly why?: string | undefined;
  /** Tooltip with more than the label has room for. */
  readonly title?: string | undefined;
  /** Keeps the menu open, for repeated use. */
  readonly stays?: boolean;
  /** Acts after the focus has returned to the button, because the action moves it. */
  readonly later?: boolean;
  readonly onSelect: () => void;
}

export function MenuItem(props: ItemProps) {
  const runLater = useContext(Later);
  return (
    <DropdownMenu.Item
      class="menu-item"
      classList={{ 'menu-item-danger': props.danger ?? false }}
      disabled={props.disabled || props.why !== undefined}
      title={props.why ?? props.title}
      closeOnSelect={!props.stays}
      onSelect={() => (props.later ? runLater(() => props.onSelect()) : props.onSelect())}
    >
      <Name text={props.label} />
      <Show when={props.hint}>
        <kbd>{props.hint}</kbd>
      </Show>
    </DropdownMenu.Item>
  );
}

/** A group of items under a common label. */
export function MenuGroup(props: ParentProps<{ label: string | undefined }>) {
  return (
    <DropdownMenu.Group>
      <Show when={props.label}>
        <DropdownMenu.GroupLabel class="menu-label">{props.label}</DropdownMenu.GroupLabel>
      </Show>
      {props.children}
    </DropdownMenu.Group>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator class="menu-separator" />;
}

/** Says what the menu is about. */
export function MenuHead(props: { title: string; text: string }) {
  return (
    <div class="menu-head">
      <span class="menu-head-title">
        <Name text={props.title} />
      </span>
      <span class="menu-head-text">{props.text}</span>
    </div>
  );
}

/** Choices beside each other. Left and Right move between them, as Up and Down do. */
export function MenuRow(props: ParentProps) {
  function onKeyDown(event: KeyboardEvent): void {
    const key = ({ ArrowLeft: 'ArrowUp', ArrowRight: 'ArrowDown' } as const)[event.key];
    if (!key) return;
    event.preventDefault();
    event.target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its items have the focus
    <div class="menu-row" onKeyDown={onKeyDown}>
      {props.children}
    </div>
  );
}

interface SegmentProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly {
    readonly value: T;
    readonly label: string;
    /** What is shown: an icon or a few letters. */
    readonly face: () => JSX.Element;
  }[];
  readonly onChoose: (value: T) => void;
}

/** One of a few choices, in a row. */
export function MenuSegments<T extends string>(props: SegmentProps<T>) {
  const choose = (value: string) => {
    const option = props.options.find((candidate) => candidate.value === value);
    if (option) props.onChoose(option.value);
  };
  return (
    <DropdownMenu.Group aria-label={props.label}>
      <DropdownMenu.RadioGroup class="menu-segments" value={props.value} onChange={choose}>
        <For each={props.options}>
          {(option) => (
            <DropdownMenu.RadioItem
              class="menu-segment"
              value={option.value}
              textValue={option.label}
              aria-label={option.label}
              title={option.label}
              closeOnSelect={false}
            >
              {option.face()}
            </DropdownMenu.RadioItem>
          )}
        </For>
      </DropdownMenu.RadioGroup>
    </DropdownMenu.Group>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function MenuToggle(props: ToggleProps) {
  return (
    <DropdownMenu.CheckboxItem
      class="menu-item menu-item-check"
      checked={props.checked}
      onChange={props.onChange}
      closeOnSelect={false}
    >
      <DropdownMenu.ItemIndicator class="menu-check">
        <Check size={14} aria-hidden="true" />
      </DropdownMenu.ItemIndicator>
      <Name text={props.label} />
      <Show when={props.hint}>
        {' '}
        <span class="menu-hint">{props.hint}</span>
      </Show>
    </DropdownMenu.CheckboxItem>
  );
}
