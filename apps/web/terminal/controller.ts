import { type Accessor, createEffect, createMemo, createSignal, onCleanup } from 'solid-js';
import type { TerminalTarget } from '#client/terminal/target.ts';
import type { App } from '../app/context.ts';
import { copyText } from '../lib/clipboard.ts';
import type { OpenTerminals } from '../open-terminals/open-terminals.ts';
import { isAnswer } from '../open-terminals/reports.ts';
import type { TerminalHandle } from '../open-terminals/terminals.ts';
import { takeSecrets } from '../quick-connect/secrets.ts';
import type { Tab } from '../workspace/tabs/tabs.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Alerts, createAlerts, followEnd } from './alerts/alerts.ts';
import { createBell } from './bell.ts';
import { createPasteGuard, type PasteGuard } from './clipboard/paste-guard.ts';
import { type ClipboardRequests, createClipboardRequests } from './clipboard/requests.ts';
import { clipboardReply } from './clipboard/sequences.ts';
import { createTerminalHandle } from './handle.ts';
import type { HeldKeys } from './keyboard/held-keys.ts';
import { createKeyboard, type Keyboard } from './keyboard/keyboard.ts';
import { type KeyBarKey, withBackspace } from './keyboard/keys.ts';
import { canOpenAgain, firstAim, freshAim, isGuest, isIdle } from './opening/aims-of-tabs.ts';
import { insertAtFirstPrompt } from './opening/first-prompt.ts';
import { startShell } from './opening/request-before-pane.ts';
import { OutputQueue } from './output/queue.ts';
import type { PaneEvents } from './pane/events.ts';
import { openPane, type Pane } from './pane/pane.ts';
import { hintAtSelection } from './pane/selection-hint.ts';
import { createSearchState, type SearchState } from './search/search.ts';
import { createSessionFacts, type SessionFacts } from './session-facts.ts';
import { createShellLink, type ShellLink, type Start, type TerminalState } from './shell-link.ts';
import { drawWhileShown } from './showing.ts';
import { statusOf } from './status.ts';
import { createLate, keeper, keepPaneUp, lookOf, pingWhile, rememberSession } from './upkeep.ts';

const PING_INTERVAL_MS = 5000;
const SILENT_MS = 800; // a faster resume is not worth a message
const RING_MS = 150;
const SETTLED_MS = 1000; // the first output is more urgent

export interface TerminalController {
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
  /** True for a moment after the bell rings. */
  readonly rings: Accessor<boolean>;
  readonly pane: Accessor<Pane | undefined>;
  attach(element: HTMLElement): void;
  openAgain(): void;
  /** Undefined if it could not succeed or nothing has ended. */
  readonly again: Accessor<(() => void) | undefined>;
  focus(): void;
  press(key: KeyBarKey): void;
}

interface Options {
  readonly app: App;
  readonly workspace: Workspace;
  readonly open_terminals: Pick<OpenTerminals, 'terminals' | 'typing'>;
  readonly tab: Tab;
  readonly active: Accessor<boolean>;
  /** A connection was made or refused, so the server's status may have changed. */
  readonly onSettled: () => unknown;
}

interface Parts {
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

/** One terminal tab: connects its pane and its link. */
export function createTerminalController(options: Options): TerminalController {
  const { app, workspace, tab, active } = options;
  const parts = createParts(options);
  const { pane, facts, link, queue, keyboard } = parts;
  const focus = () => pane()?.focus();
  const { send, typed } = keyboard;
  const handle = createTerminalHandle({ ...parts, tab, typed, send, focus });
  const { rings, attach, openAgain, again } = createPaneVerbs(options, parts);

  onCleanup(options.open_terminals.terminals.add(handle));
  onCleanup(() => void takeSecrets(tab.id));
  keepPaneUp({ app, tab, pane, facts });
  drawWhileShown({ workspace, tab, pane, queue, link, facts });
  followEnd(options, link.state, parts.alerts);
  insertAtFirstPrompt(tab.id, { pane, typed, propose: parts.paste.propose });
  rememberSession(workspace.tabs, tab, link);
  reportStatus(options, link, again);
  pingWhile(() => active() && !document.hidden, link.ping, PING_INTERVAL_MS);

  return {
    ...parts,
    ...link,
    handle,
    rings,
    attach,
    openAgain,
    again,
    focus,
    keys: keyboard.keys,
    ready: () => active() && pane() !== undefined,
    is_cut_off: createLate(() => link.state().kind === 'reconnecting', SILENT_MS),
    press: (key) => keyboard.press(key, pane()?.applicationCursor() === true),
  };
}

function createParts(options: Options): Parts {
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

interface Receivers extends Pick<Parts, 'facts' | 'alerts'> {
  readonly push: (bytes: Uint8Array) => void;
}

function createLink({ app, workspace, tab }: Options, { facts, alerts, push }: Receivers) {
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

function createPaneVerbs(options: Options, parts: Parts) {
  const { app, tab, active } = options;
  const { pane, setPane, link, queue, facts, setTitle, setDirectory } = parts;
  const [rings, setRings] = createSignal(false);
  const keep = keeper<Pane>((opened) => opened.dispose());

  function ring(): void {
    setRings(true);
    setTimeout(() => setRings(false), RING_MS);
  }

  function open(aim: TerminalTarget, size = pane()?.size(), start: Start = {}): void {
    queue.settle();
    facts.begin();
    setTitle('');
    setDirectory(undefined);
    link.open(aim, size, start);
  }

  function openAgain(): void {
    const state = link.state();
    const how = state.kind === 'over' ? state.ending.kind : undefined;
    if (how === 'taken_over') link.reconnectNow();
    else if (how === 'unreachable' || how === 'proxy') open(firstAim(tab));
    else {
      pane()?.beginAnew();
      open(freshAim(tab));
    }
    if (active()) pane()?.focus(); // the focus would make its tab the active one
  }

  function again(): (() => void) | undefined {
    const state = link.state();
    if (state.kind !== 'idle' && state.kind !== 'over') return undefined;
    return state.kind === 'idle' || canOpenAgain(tab, state.ending) ? openAgain : undefined;
  }

  function attach(element: HTMLElement): void {
    const { renderer } = app.preferences.values;
    const label = app.t('terminal_of', { name: tab.server_name });
    const events = createPaneEvents({ app, tab, parts, ring, again });
    takeTypedBefore(options, parts, events);
    const aim = isIdle(tab) ? undefined : firstAim(tab);
    const is_new = aim?.kind === 'server' || aim?.kind === 'quick';
    const look = lookOf(app);
    const place = app.pane_place;
    const how = { look, renderer, label, answers: !isGuest(tab), events, ...(place ? { place } : {}) };
    const build = () => openPane(element, how);
    const show = (opened: Pane) => {
      if (keep(opened)) setPane(opened);
    };
    if (!aim) void build().then(show, link.fail);
    else if (!is_new)
      void build().then((opened) => {
        if (!keep(opened)) return;
        open(aim, opened.size());
        setPane(opened); // what was typed before follows, and needs the link
      }, link.fail);
    else
      startShell({
        element,
        drawn: { look, renderer },
        open: (size, start) => open(aim, size, start),
        build: () => build().then(show, link.fail),
      });
  }

  return { rings, attach, openAgain, again };
}

/** Takes what was typed for this terminal before it was there, and while it cannot have the focus. */
function takeTypedBefore({ app, open_terminals, tab }: Options, parts: Parts, events: PaneEvents): void {
  const { pane, facts } = parts;
  createEffect(() => {
    if (!pane()) return;
    const unbind = open_terminals.typing.bind(tab.id, {
      take: (typed) => (typed.kind === 'keys' ? events.input(typed.data) : events.paste(typed.text)),
      overflow: () => facts.note({ code: 'input_lost', message: app.t('notice_input_lost') }),
    });
    onCleanup(unbind);
  });
}

interface EventParts {
  readonly app: App;
  readonly tab: Tab;
  readonly parts: Parts;
  readonly ring: () => void;
  readonly again: () => (() => void) | undefined;
}

function createPaneEvents({ app, tab, parts, ring, again }: EventParts): PaneEvents {
  const { values, zoom } = app.preferences;
  const { keyboard, link, paste, clipboard, search, ended, setTitle } = parts;
  const is_guest = isGuest(tab);
  return {
    input(data) {
      if (is_guest && isAnswer(data)) return;
      keyboard.type(typeof data === 'string' ? withBackspace(data, values.backspace) : data);
    },
    resize: (size) => void (is_guest || link.resize(size)),
    paste: paste.offer,
    pasteFromClipboard: () => void paste.read(),
    pastesBySecondButton: () => values.right_click === 'paste',
    zoom,
    copyOnSelect: () => values.copy_on_select,
    search: search.open,
    found: search.tell,
    bell: createBell({ visual: ring, kind: () => values.bell }),
    clipboardWritten: (text) => void clipboard.write(text),
    clipboardAsked: () => void (is_guest || clipboard.read()),
    titled: setTitle,
    located: parts.setDirectory,
    small: parts.setSmall,
    draggedInProgram: () => hintAtSelection((code) => parts.facts.note({ code, message: '' })),
    ended,
    openAgain: () => again()?.(),
  };
}

function reportStatus(options: Options, link: ShellLink, again: Accessor<(() => void) | undefined>): void {
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
