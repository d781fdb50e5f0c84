import * as Dialog from '@kobalte/core/dialog';
import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createEffect, createMemo, createSignal, For, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import { type Command, createCommands } from '../state/commands.ts';
import { useWhyFixed } from '../state/config.ts';
import { fuzzyFilter } from '../state/fuzzy.ts';
import { moveCursor } from '../state/listing.ts';
import { serversQuery } from '../state/servers.ts';
import { useWorkspace } from '../state/workspace.ts';
import './palette.css';

const SHOWN = 50;
const PAGE = 8;

/** Every server and every action, by a few letters. */
export function Palette(props: { onClose: () => void }) {
  const { t } = useApp();
  const workspace = useWorkspace();
  const search = createSearch();
  const before = document.activeElement;
  let chosen = false;

  function run(command: Command | undefined): void {
    if (!command) return;
    chosen = true;
    props.onClose();
    command.run();
    workspace.wishFocus();
  }

  /** Escape goes back to where one was; a command leads to the pane in front. */
  function onClosed(event: Event): void {
    event.preventDefault();
    if (!chosen && before instanceof HTMLElement) before.focus();
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay class="overlay" />
        <Dialog.Content class="palette" onCloseAutoFocus={onClosed}>
          <Dialog.Title class="visually-hidden">{t('command_palette')}</Dialog.Title>
          <input
            ref={(input) => queueMicrotask(() => input.focus())}
            class="palette-input"
            role="combobox"
            aria-label={t('command_palette')}
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={search.found().length > 0 ? `command-${search.cursor()}` : undefined}
            placeholder={t('palette_hint')}
            autocomplete="off"
            spellcheck={false}
            value={search.text()}
            onInput={(event) => search.setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') run(search.found()[search.cursor()]);
              else if (!search.move(event.key)) return;
              event.preventDefault();
            }}
          />
          <CommandList search={search} onRun={run} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CommandList(props: { search: Search; onRun: (command: Command) => void }) {
  const { t } = useApp();
  let list: HTMLDivElement | undefined;
  createEffect(() => list?.children[props.search.cursor()]?.scrollIntoView({ block: 'nearest' }));
  return (
    <>
      <div class="palette-list" id="palette-list" role="listbox" aria-label={t('commands')} ref={list}>
        <For each={props.search.found()}>
          {(command, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above takes the keys
            <div
              class="palette-item"
              role="option"
              tabIndex={-1}
              id={`command-${index()}`}
              aria-selected={index() === props.search.cursor()}
              onPointerMove={() => props.search.setCursor(index())}
              onClick={() => props.onRun(command)}
            >
              <span>{command.title}</span>
              <span class="palette-hint">{command.hint}</span>
            </div>
          )}
        </For>
      </div>
      <Show when={props.search.found().length === 0}>
        <p class="palette-empty" role="status">
          {t('no_match')}
        </p>
      </Show>
    </>
  );
}

interface Search {
  readonly text: Accessor<string>;
  readonly found: Accessor<readonly Command[]>;
  readonly cursor: Accessor<number>;
  setText(text: string): void;
  setCursor(index: number): void;
  move(key: string): boolean;
}

function createSearch(): Search {
  const app = useApp();
  const workspace = useWorkspace();
  const servers = useQuery(() => serversQuery(app.client));
  const why = useWhyFixed();
  const commands = createMemo(() =>
    createCommands(app, workspace, { servers: servers.data ?? [], is_fixed: why() !== undefined }),
  );
  const [text, setText] = createSignal('');
  const [cursor, setCursor] = createSignal(0);
  const candidateOf = ({ title, hint, name, weight }: Command) => ({
    text: `${title} ${hint}`,
    name,
    weight,
  });
  const found = createMemo(() => fuzzyFilter(text(), commands(), candidateOf).slice(0, SHOWN));
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
