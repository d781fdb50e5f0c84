import { createMemo, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { rangesAtStarts, rangesInName, rangesInText, rangesOfLetters } from '../../lib/match/ranges.ts';
import { toWords } from '../../lib/match/rank.ts';
import { SearchDialog } from '../../parts/dialogs/search.tsx';
import { Marked } from '../../parts/marked.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { parseQuery } from '../../servers/find/query.ts';
import { useKnownServers } from '../../servers/known-servers.ts';
import type { Server } from '../../servers/servers.ts';
import { StatusDot } from '../../servers/status/dot.tsx';
import { useStatusWatch } from '../../servers/status/status.ts';
import type { Command } from '../../workspace/commands/command.ts';
import { useFeatures } from '../../workspace/features.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useOpening } from '../rail/opening.ts';
import { reasonsOfMatch } from '../rail/reasons.ts';
import { createCommands } from './commands.ts';
import { findCommands } from './find-commands.ts';

/** The command palette: finds servers and actions by a few letters. */
export function Palette(props: { onClose: () => void }) {
  const app = useApp();
  const { t } = app;
  const workspace = useWorkspace();
  const known = useKnownServers();
  const opening = useOpening();
  const why = useReadOnlyReason();
  const is_read_only = () => why() !== undefined;
  const all = createCommands(app, workspace, useFeatures());
  const commands = createMemo(all.list);
  const find = (text: string) => [
    ...all.typed(text),
    ...findCommands(text, commands(), { app, workspace, known, opening, is_read_only: is_read_only() }),
    ...all.searches(text),
  ];

  function run(command: Command, event: MouseEvent | KeyboardEvent): void {
    props.onClose();
    if (!command.is_late) command.run(howOf(event));
    workspace.wishFocus();
    if (command.is_late) setTimeout(() => command.run(howOf(event)));
  }

  return (
    <SearchDialog
      title={t('command_palette')}
      placeholder={t('palette_hint')}
      list_label={t('commands')}
      find={find}
      onChoose={run}
      onClose={props.onClose}
      empty={t('no_match')}
    >
      {(command, text) => (
        <Show when={command.server} fallback={<CommandView command={command} text={text} />}>
          {(server) => <ServerView server={server()} hint={command.hint} text={text} />}
        </Show>
      )}
    </SearchDialog>
  );
}

function howOf({ altKey, ctrlKey, metaKey }: MouseEvent | KeyboardEvent): 'files' | 'beside' | undefined {
  if (altKey) return 'files';
  return ctrlKey || metaKey ? 'beside' : undefined;
}

function CommandView(props: { command: Command; text: string }) {
  const words = () => toWords(props.text.split(/\s+/));
  return (
    <>
      <span>
        <Marked text={props.command.title} ranges={rangesAtStarts(words(), props.command.title)} />
      </span>
      <span class="palette-hint">
        <Marked text={props.command.hint} ranges={rangesAtStarts(words(), props.command.hint)} />
      </span>
    </>
  );
}

/** A server: its state and name, and why it matched. */
function ServerView(props: { server: Server; hint: string; text: string }) {
  const { t } = useApp();
  const { statusOf } = useStatusWatch();
  const words = () => parseQuery(props.text).words;
  const reasons = () =>
    reasonsOfMatch(words(), props.server).filter(({ text }) => !props.hint.includes(text));
  const inName = () => {
    const found = rangesInName(words(), props.server.name);
    return found.length > 0 || reasons().some(({ ranges }) => ranges.length > 0)
      ? found
      : rangesOfLetters(words(), props.server.name);
  };
  return (
    <>
      <span class="palette-server">
        <StatusDot status={statusOf(props.server.id).status} />
        <span class="palette-name">
          <Marked text={props.server.name} ranges={inName()} />
        </span>
        <Show when={reasons()[0]}>
          {(reason) => (
            <span class="palette-reason">
              <Marked text={reason().text} ranges={reason().ranges} />
            </span>
          )}
        </Show>
      </span>
      <span class="palette-hint" title={t('palette_server_hint')}>
        <Marked text={props.hint} ranges={rangesInText(words(), props.hint)} />
      </span>
    </>
  );
}
