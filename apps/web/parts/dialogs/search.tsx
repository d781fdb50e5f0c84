import * as Dialog from '@kobalte/core/dialog';
import { type Accessor, createEffect, createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { moveCursor } from '../../lib/move-cursor.ts';
import { activeElement } from '../../lib/root.ts';
import { isLeft } from '../focus.ts';
import './search.css';

const PAGE = 8;

interface Props<T> {
  readonly title: string;
  readonly placeholder: string;
  /** Accessible name of the result list. */
  readonly list_label: string;
  /** A bounded number of items for the typed text, best first. */
  readonly find: (text: string) => readonly T[];
  /** The event says which keys were held. */
  readonly onChoose: (item: T, event: MouseEvent | KeyboardEvent) => void;
  readonly onClose: () => void;
  /** Shown when nothing matches. */
  readonly empty: JSX.Element;
  readonly children: (item: T, text: string) => JSX.Element;
}

/** Finds one of many items by a few letters. */
export function SearchDialog<T>(props: Props<T>) {
  const search = createSearch(props);
  const { place } = useApp();
  const before = activeElement();
  let chosen = false;

  function choose(item: T | undefined, event: MouseEvent | KeyboardEvent): void {
    if (item === undefined) return;
    chosen = true;
    props.onChoose(item, event);
  }

  /** Escape restores the focus; a choice moves it elsewhere. */
  function onClosed(event: Event): void {
    event.preventDefault();
    if (!chosen && before instanceof HTMLElement && !isLeft(before)) before.focus();
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal {...place.portal}>
        <Dialog.Overlay class="overlay" />
        <Dialog.Content class="palette" onCloseAutoFocus={onClosed}>
          <Dialog.Title class="visually-hidden">{props.title}</Dialog.Title>
          <input
            ref={(input) => queueMicrotask(() => input.focus())}
            class="palette-input"
            role="combobox"
            aria-label={props.title}
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={search.found().length > 0 ? `found-${search.cursor()}` : undefined}
            placeholder={props.placeholder}
            autocomplete="off"
            spellcheck={false}
            value={search.text()}
            onInput={(event) => search.setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') choose(search.found()[search.cursor()], event);
              else if (!search.move(event.key)) return;
              event.preventDefault();
            }}
          />
          <FoundList search={search} label={props.list_label} onChoose={choose}>
            {props.children}
          </FoundList>
          <Show when={search.found().length === 0}>
            <div class="palette-empty" role="status">
              {props.empty}
            </div>
          </Show>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ListProps<T> {
  readonly search: Search<T>;
  readonly label: string;
  readonly onChoose: (item: T, event: MouseEvent) => void;
  readonly children: (item: T, text: string) => JSX.Element;
}

function FoundList<T>(props: ListProps<T>) {
  let list: HTMLDivElement | undefined;
  createEffect(() => list?.children[props.search.cursor()]?.scrollIntoView({ block: 'nearest' }));
  return (
    <div class="palette-list" id="palette-list" role="listbox" aria-label={props.label} ref={list}>
      <For each={props.search.found()}>
        {(item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above takes the keys
          <div
            class="palette-item"
            role="option"
            tabIndex={-1}
            id={`found-${index()}`}
            aria-selected={index() === props.search.cursor()}
            onPointerMove={() => props.search.setCursor(index())}
            onClick={(event) => props.onChoose(item, event)}
          >
            {props.children(item, props.search.text())}
          </div>
        )}
      </For>
    </div>
  );
}

interface Search<T> {
  readonly text: Accessor<string>;
  readonly found: Accessor<readonly T[]>;
  readonly cursor: Accessor<number>;
  setText(text: string): void;
  setCursor(index: number): void;
  move(key: string): boolean;
}

function createSearch<T>(props: Pick<Props<T>, 'find'>): Search<T> {
  const [text, setText] = createSignal('');
  const [cursor, setCursor] = createSignal(0);
  const found = createMemo(() => props.find(text()));
  return {
    text,
    found,
    cursor,
    setText(typed) {
      setText(typed);
      setCursor(0);
    },
    setCursor,
    move(key) {
      const of_text = key === 'Home' || key === 'End';
      const target = of_text ? undefined : moveCursor(key, cursor(), found().length, PAGE);
      if (target !== undefined) setCursor(target);
      return target !== undefined;
    },
  };
}
