import { type Accessor, createEffect, onCleanup } from 'solid-js';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { takeSecrets } from '../quick-connect/secrets.ts';
import { followEnd } from './alerts/alerts.ts';
import type { PasteGuard } from './clipboard/paste-guard.ts';
import type { ClipboardRequests } from './clipboard/requests.ts';
import { createTerminalHandle } from './handle.ts';
import type { HeldKeys } from './keyboard/held-keys.ts';
import type { KeyBarKey } from './keyboard/keys.ts';
import { insertAtFirstPrompt } from './opening/first-prompt.ts';
import type { Pane } from './pane/pane.ts';
import { createPaneVerbs, type PaneVerbs } from './pane-verbs.ts';
import { type ControllerOptions, createTerminalParts } from './parts.ts';
import type { SearchState } from './search/search.ts';
import type { SessionFacts } from './session-facts.ts';
import type { ShellLink, TerminalState } from './shell-link.ts';
import { drawWhileShown } from './showing.ts';
import { statusOf } from './status.ts';
import { createLate, keepPaneUp, pingWhile, rememberSession } from './upkeep.ts';

const PING_INTERVAL_MS = 5000;
const SILENT_MS = 800; // a faster resume is not worth a message
const SETTLED_MS = 1000; // the first output is more urgent
const SNIPPET_NOTICES = { typed: 'snippet_not_sent', ended: 'snippet_not_sent_again' } as const;

export interface TerminalController extends PaneVerbs {
  readonly state: Accessor<TerminalState>;
  readonly handle: TerminalHandle;
  readonly facts: SessionFacts;
  readonly ready: Accessor<boolean>;
  /** There is no shell, and none is being opened. */
  readonly ended: Accessor<boolean>;
  /** Disconnected for long enough to show it. */
  readonly is_cut_off: Accessor<boolean>;
  readonly prompt: ShellLink['prompt'];
  readonly silent_since: ShellLink['silent_since'];
  readonly unread_bytes: ShellLink['unread_bytes'];
  answer(answers: readonly string[]): void;
  giveUp(): void;
  reconnectNow(): void;
  readonly paste: PasteGuard;
  readonly clipboard: ClipboardRequests;
  readonly keys: HeldKeys;
  readonly search: SearchState;
  readonly pane: Accessor<Pane | undefined>;
  focus(): void;
  press(key: KeyBarKey): void;
}

/** One terminal tab: connects its pane and its link. */
export function createTerminalController(options: ControllerOptions): TerminalController {
  const { app, workspace, tab, active } = options;
  const parts = createTerminalParts(options);
  const { pane, facts, link, queue, keyboard } = parts;
  const focus = () => pane()?.focus();
  const { send, typed } = keyboard;
  const handle = createTerminalHandle({ ...parts, tab, typed, send, focus });
  const verbs = createPaneVerbs(options, parts);

  onCleanup(options.open_terminals.terminals.add(handle));
  onCleanup(() => void takeSecrets(tab.id));
  keepPaneUp({ app, tab, pane, facts });
  drawWhileShown({ workspace, tab, pane, queue, link, facts });
  followEnd(options, link.state, parts.alerts);
  insertAtFirstPrompt(tab.id, {
    ...{ pane, state: link.state, typed, send, propose: parts.paste.propose },
    onDropped: ({ how }, why) => how === 'send' && facts.note({ code: SNIPPET_NOTICES[why], message: '' }),
  });
  rememberSession(workspace.tabs, tab, link);
  reportStatus(options, link, verbs.again);
  pingWhile(() => active() && !document.hidden, link.ping, PING_INTERVAL_MS);

  return {
    ...parts,
    ...link,
    ...verbs,
    handle,
    focus,
    keys: keyboard.keys,
    ready: () => active() && pane() !== undefined,
    is_cut_off: createLate(() => link.state().kind === 'reconnecting', SILENT_MS),
    press: (key) => keyboard.press(key, pane()?.applicationCursor() === true),
  };
}

function reportStatus(
  options: ControllerOptions,
  link: ShellLink,
  again: Accessor<(() => void) | undefined>,
): void {
  const { workspace, tab, onSettled } = options;
  createEffect(() =>
    workspace.setStatus(tab.id, {
      ...statusOf(link.state(), link.prompt() !== undefined, link.silent_since() !== undefined),
      round_trip_ms: link.silent_since() === undefined ? link.round_trip_ms() : undefined,
      openAgain: again(),
    }),
  );
  onCleanup(() => workspace.forgetStatus(tab.id)); // it would keep the closed terminal in memory
  createEffect(() => {
    if (!['open', 'over'].includes(link.state().kind)) return;
    setTimeout(onSettled, SETTLED_MS);
  });
}
