import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { App } from '../state/app-context.ts';
import type { Tab } from '../state/tabs.ts';
import type { PaneStatus, Workspace } from '../state/workspace.ts';
import { createHeldKeys, type HeldKeys } from './held-keys.ts';
import type { KeyBarKey } from './keys.ts';
import { openPane, type Pane, type PaneEvents, type PaneOptions } from './pane.ts';
import { createPasteGuard, type PasteGuard } from './paste-guard.ts';
import { createShellLink, type ShellLink, type TerminalState } from './shell-link.ts';
import { statusOf } from './status.ts';

const PING_INTERVAL_MS = 5000;

export interface TerminalController {
  readonly state: Accessor<TerminalState>;
  readonly ready: Accessor<boolean>;
  /** No shell is there, nor about to be. */
  readonly ended: Accessor<boolean>;
  readonly prompt: ShellLink['prompt'];
  answer(answers: readonly string[]): void;
  giveUp(): void;
  readonly paste: PasteGuard;
  readonly keys: HeldKeys;
  attach(element: HTMLElement): void;
  openAgain(): void;
  focus(): void;
  press(key: KeyBarKey): void;
}

interface Options {
  readonly app: App;
  readonly workspace: Workspace;
  readonly tab: Tab;
  readonly active: Accessor<boolean>;
  /** A connection was made or refused: what is known of the server may have changed. */
  readonly onSettled: () => unknown;
}

/** One terminal tab: its pane, its link, and what passes between them. */
export function createTerminalController(options: Options): TerminalController {
  const { app, tab, active } = options;
  const { preferences, client, session } = app;
  const [pane, setPane] = createSignal<Pane>();
  const onTrouble = () => session.verify();
  const link = createShellLink({ client, server_id: tab.server_id, idle: tab.restored, onTrouble });
  const paste = createPasteGuard(
    () => preferences.values.confirm_paste,
    (text) => pane()?.paste(text),
  );
  const keys = createHeldKeys();
  const ended = () => link.state().kind === 'over' || link.state().kind === 'idle';
  const keep = keeper<Pane>((opened) => opened.dispose());

  function openAgain(): void {
    const present = pane();
    if (!present) return;
    present.beginAnew();
    link.open(present);
    present.focus();
  }

  const events: PaneEvents = {
    input: (data) => link.input(keys.apply(data)),
    resize: link.resize,
    paste: paste.offer,
    zoom: preferences.zoom,
    copyOnSelect: () => preferences.values.copy_on_select,
    ended,
    openAgain,
  };
  keepPaneUp({ app, pane, active });
  reportStatus(options, link, () => (ended() ? openAgain : undefined));
  pingWhile(() => active() && !document.hidden, link.ping);

  return {
    state: link.state,
    ended,
    ready: () => active() && pane() !== undefined,
    prompt: link.prompt,
    answer: link.answer,
    giveUp: link.giveUp,
    paste,
    keys,
    attach(element) {
      openPane(element, paneOptions(app, tab, events)).then((opened) => {
        if (!keep(opened)) return;
        setPane(opened);
        if (!tab.restored) link.open(opened);
      }, link.fail);
    },
    openAgain,
    focus: () => pane()?.focus(),
    press: (key) => link.input(keys.sequence(key, pane()?.applicationCursor() === true)),
  };
}

function paneOptions({ preferences, t }: App, tab: Tab, events: PaneEvents): PaneOptions {
  const { font_size, renderer } = preferences.values;
  return { font_size, renderer, label: t('terminal_of', { name: tab.server_name }), events };
}

interface Upkeep {
  readonly app: App;
  readonly pane: Accessor<Pane | undefined>;
  readonly active: Accessor<boolean>;
}

/** Font, theme and size follow the preferences and the page. */
function keepPaneUp({ app: { preferences }, pane, active }: Upkeep): void {
  createEffect(() => pane()?.setFontSize(preferences.values.font_size));
  createEffect(() => followTheme(preferences.values.theme, () => pane()?.refreshTheme()));
  createEffect(() => active() && pane()?.fit());
}

function reportStatus(options: Options, link: ShellLink, again: Accessor<PaneStatus['openAgain']>): void {
  const { workspace, tab, onSettled } = options;
  createEffect(() =>
    workspace.setStatus(tab.id, {
      ...statusOf(link.state(), link.prompt() !== undefined),
      round_trip_ms: link.round_trip_ms(),
      openAgain: again(),
    }),
  );
  onCleanup(() => workspace.forgetStatus(tab.id)); // it would hold the closed terminal in memory
  createEffect(() => ['open', 'over'].includes(link.state().kind) && onSettled());
}

/** Disposes of what is kept when its owner goes, or at once when that has gone already. */
function keeper<T>(dispose: (value: T) => void): (value: T) => boolean {
  let gone = false;
  let kept: T | undefined;
  onCleanup(() => {
    gone = true;
    if (kept !== undefined) dispose(kept);
  });
  return (value) => {
    kept = value;
    if (gone) dispose(value);
    return !gone;
  };
}

function pingWhile(wanted: () => boolean, ping: () => void): void {
  const timer = setInterval(() => wanted() && ping(), PING_INTERVAL_MS);
  onCleanup(() => clearInterval(timer));
}

/** `system` may change while the page is open. */
function followTheme(theme: string, refresh: () => void): void {
  refresh();
  if (theme !== 'system') return;
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', refresh);
  onCleanup(() => query.removeEventListener('change', refresh));
}
