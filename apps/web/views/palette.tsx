import { Dialog } from '@kobalte/core/dialog';
import { useQuery } from '@tanstack/solid-query';
import { createEffect, createMemo, createSignal, For, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import { type Command, createCommands } from '../state/commands.ts';
import { fuzzyFilter } from '../state/fuzzy.ts';
import { moveCursor } from '../state/listing.ts';
import { serversQuery } from '../state/servers.ts';
import { useWorkspace } from '../state/workspace.ts';
import './palette.css';

const SHOWN = 50;
const PAGE = 8;

/** Every server and every action, by a few letters. */
export function Palette(props: { onClose: () => void }) {
  const app = useApp();
  const workspace = useWorkspace();
  const servers = useQuery(() => serversQuery(app.client));
  const commands = createMemo(() => createCommands(app, workspace, servers.data ?? []));
  const [text, setText] = createSignal('');
  const [cursor, setCursor] = createSignal(0);
  const found = createMemo(() => fuzzyFilter(text(), commands(), (command) => command.title).slice(0, SHOWN));
  const before = document.activeElement;
  let chosen = false;
  let list: HTMLUListElement | undefined;

  createEffect(() => list?.children[cursor()]?.scrollIntoView({ block: 'nearest' }));

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

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Home' || event.key === 'End') return; // of the text
    const target = moveCursor(event.key, cursor(), found().length, PAGE);
    if (target !== undefined) setCursor(target);
    else if (event.key === 'Enter') run(found()[cursor()]);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay class="overlay" />
        <Dialog.Content class="palette" onCloseAutoFocus={onClosed}>
          <Dialog.Title class="visually-hidden">{app.t('command_palette')}</Dialog.Title>
          <input
            class="palette-input"
            role="combobox"
            aria-label={app.t('command_palette')}
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={found().length > 0 ? `command-${cursor()}` : undefined}
            placeholder={app.t('palette_hint')}
            autocomplete="off"
            spellcheck={false}
            value={text()}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setCursor(0);
            }}
            onKeyDown={onKeyDown}
          />
          <ul class="palette-list" id="palette-list" role="listbox" aria-label={app.t('commands')} ref={list}>
            <For each={found()}>
              {(command, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above takes the keys
                <li
                  class="palette-item"
                  role="option"
                  id={`command-${index()}`}
                  aria-selected={index() === cursor()}
                  onPointerMove={() => setCursor(index())}
                  onClick={() => run(command)}
                >
                  <span>{command.title}</span>
                  <span class="palette-hint">{command.hint}</span>
                </li>
              )}
            </For>
          </ul>
          <Show when={found().length === 0}>
            <p class="palette-empty" role="status">
              {app.t('no_match')}
            </p>
          </Show>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  );
}
