import { type Accessor, createMemo, createSignal } from 'solid-js';
import type { App } from '../app/context.ts';
import { copyText } from '../lib/clipboard.ts';
import type { OpenTerminals } from '../open-terminals/open-terminals.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Alerts, createAlerts } from './alerts/alerts.ts';
import { createPasteGuard, type PasteGuard } from './clipboard/paste-guard.ts';
import { type ClipboardRequests, createClipboardRequests } from './clipboard/requests.ts';
import { clipboardReply } from './clipboard/sequences.ts';
import { createKeyboard, type Keyboard } from './keyboard/keyboard.ts';
import { isIdle } from './opening/aims-of-tabs.ts';
import { OutputQueue } from './output/queue.ts';
import type { Pane } from './pane/pane.ts';
import { createSearchState, type SearchState } from './search/search.ts';
import { createSessionFacts, type SessionFacts } from './session-facts.ts';
import { createShellLink, type ShellLink } from './shell-link.ts';

export interface ControllerOptions {
  readonly app: App;
  readonly workspace: Workspace;
  readonly open_terminals: Pick<OpenTerminals, 'terminals' | 'typing'>;
  readonly tab: Tab;
  readonly active: Accessor<boolean>;
  /** A connection was made or refused, so the server's status may have changed. */
  readonly onSettled: () => unknown;
}

/** What a terminal tab consists of, before its pane is there. */
export interface TerminalParts {
  readonly pane: Accessor<Pane | undefined>;
  readonly setPane: (pane: Pane) => void;
  readonly facts: SessionFacts;
  readonly alerts: Alerts;
  readonly link: ShellLink;
  readonly queue: OutputQueue;
  readonly keyboard: Keyboard;
  readonly paste: PasteGuard;
  readonly clipboard: ClipboardRequests;
  readonly search: SearchState;
  readonly ended: Accessor<boolean>;
  /** The title set by a program. */
  readonly title: Accessor<string>;
  readonly setTitle: (title: string) => void;
  /** Where the shell is, if it reports that. */
  readonly directory: Accessor<string | undefined>;
  readonly setDirectory: (path: string | undefined) => void;
  /** The shared size makes the font too small to read. */
  readonly is_small: Accessor<boolean>;
  readonly setSmall: (is_small: boolean) => void;
}

export function createTerminalParts(options: ControllerOptions): TerminalParts {
  const { preferences } = options.app;
  const [pane, setPane] = createSignal<Pane>();
  const [title, setTitle] = createSignal('');
  const [directory, setDirectory] = createSignal<string>();
  const [is_small, setSmall] = createSignal(false);
  const facts = createSessionFacts();
  const alerts = createAlerts(options);
  const link: ShellLink = createLink(options, { facts, alerts, push: (bytes) => queue.push(bytes) });
  const queue: OutputQueue = new OutputQueue({
    sink: {
      write: (bytes, parsed) => pane()?.write(bytes, parsed),
      isAlternate: () => pane()?.isAlternate() === true,
    },
    parsed: link.parsed,
    onTorn: link.refresh,
  });
  return {
    pane,
    setPane,
    title,
    setTitle,
    directory,
    setDirectory,
    is_small,
    setSmall,
    facts,
    alerts,
    link,
    queue,
    keyboard: createKeyboard(link, queue),
    paste: createPasteGuard(
      () => preferences.values.confirm_paste,
      (text) => pane()?.paste(text),
    ),
    clipboard: createClipboardRequests({
      rule: () => preferences.values.clipboard,
      copy: copyText,
      read: () => navigator.clipboard.readText(),
      reply: (text) => link.input(clipboardReply(text)),
    }),
    search: createSearchState(pane),
    ended: createMemo(() => link.state().kind === 'over' || link.state().kind === 'idle'),
  };
}

interface Receivers extends Pick<TerminalParts, 'facts' | 'alerts'> {
  readonly push: (bytes: Uint8Array) => void;
}

function createLink({ app, workspace, tab }: ControllerOptions, { facts, alerts, push }: Receivers) {
  const { client, session, t } = app;
  return createShellLink({
    client,
    idle: isIdle(tab),
    output(bytes) {
      alerts.receive(bytes);
      push(bytes);
    },
    news(frame) {
      alerts.begin(frame);
      facts.learn(frame);
    },
    overflow: () => facts.note({ code: 'input_lost', message: t('notice_input_lost') }),
    input_lost(loss) {
      facts.loseInput(loss);
      if (!loss.is_certain) facts.note({ code: 'input_doubtful', message: t('typed_doubtful') });
    },
    outlives: () => workspace.tabs.list.some(({ id }) => id === tab.id),
    onTrouble: () => session.verify(),
  });
}
