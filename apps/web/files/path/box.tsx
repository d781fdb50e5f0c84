import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Name } from '../../parts/name.tsx';
import type { FileTab } from '../file-tab.ts';
import { createOffers, type Offers } from './offers.ts';
import '../../parts/fields/field.css';
import '../../parts/menu.css';
import './box.css';

interface Props {
  readonly server_id: number;
  readonly id?: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (path: string) => void;
  readonly onEscape?: () => void;
  readonly ref?: (input: HTMLInputElement) => void;
}

/** A path field with directory completion. Tab completes the common prefix. */
export function PathInput(props: Props) {
  const { client } = useApp();
  const list_id = createUniqueId();
  const offers = createOffers({
    client,
    server_id: () => props.server_id,
    typed: () => props.value,
    onTake: (path) => props.onInput(path),
  });
  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (offers.onKey(event.key)) {
      event.preventDefault();
      event.stopPropagation(); // Escape closes only the list, not the dialog around it
    } else if (event.key === 'Escape') props.onEscape?.();
  }
  const is_open = () => offers.list().length > 0;
  return (
    <div class="path-input">
      <input
        ref={(input) => props.ref?.(input)}
        class="field-input"
        id={props.id}
        role="combobox"
        aria-label={props.label}
        aria-autocomplete="list"
        aria-expanded={is_open()}
        aria-controls={is_open() ? list_id : undefined}
        aria-activedescendant={offers.at() < 0 ? undefined : `${list_id}-${offers.at()}`}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        value={props.value}
        onInput={(event) => {
          props.onInput(event.currentTarget.value);
          offers.look();
        }}
        onKeyDown={onKeyDown}
        onBlur={offers.close}
      />
      <Show when={is_open()}>
        <OfferList id={list_id} offers={offers} />
      </Show>
    </div>
  );
}

function OfferList(props: { id: string; offers: Offers }) {
  const { t } = useApp();
  const is_chosen = (index: number) => props.offers.at() === index;
  return (
    <div
      class="menu path-offers"
      id={props.id}
      role="listbox"
      aria-label={t('files_completions')}
      tabIndex={-1}
    >
      <For each={props.offers.list()}>
        {(path, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keyboard
          <div
            class="menu-item"
            role="option"
            tabIndex={-1}
            id={`${props.id}-${index()}`}
            aria-selected={is_chosen(index())}
            data-highlighted={is_chosen(index()) ? '' : undefined}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => props.offers.take(path)}
          >
            <Name text={path} />
          </div>
        )}
      </For>
    </div>
  );
}

/** The path field that replaces the breadcrumbs. */
export function PathBox(props: { files: FileTab; onDone: () => void }) {
  const { t } = useApp();
  const [typed, setTyped] = createSignal(props.files.path());
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    props.onDone();
    props.files.goTyped(typed().trim());
  }
  return (
    <form class="path-box" onSubmit={submit}>
      <PathInput
        ref={(input) => queueMicrotask(() => input.select())}
        server_id={props.files.server_id}
        label={t('path')}
        value={typed()}
        onInput={setTyped}
        onEscape={props.onDone}
      />
    </form>
  );
}
