import { type Accessor, createEffect, createSignal, onCleanup, untrack } from 'solid-js';
import type { App } from '../app/context.ts';
import type { Tab, Tabs } from '../workspace/tabs/tabs.ts';
import { isGuest } from './opening/aims-of-tabs.ts';
import type { PaneLook } from './pane/look.ts';
import type { Pane } from './pane/pane.ts';
import type { SessionFacts } from './session-facts.ts';
import type { ShellLink, TerminalState } from './shell-link.ts';

interface PaneUpkeep {
  readonly app: App;
  readonly tab: Tab;
  readonly pane: Accessor<Pane | undefined>;
  readonly facts: SessionFacts;
}

export function lookOf({ preferences }: App): PaneLook {
  const { font_family, font_size, line_height, ligatures } = preferences.values;
  const { cursor_style, cursor_blink, scrollback_rows, screen_reader } = preferences.values;
  return {
    ...{ font_family, font_size, line_height, ligatures },
    ...{ cursor_style, cursor_blink, scrollback_rows, screen_reader },
  };
}

/** Keeps look and size in line with the preferences, the page and the session's owner. */
export function keepPaneUp({ app, tab, pane, facts }: PaneUpkeep): void {
  const { values } = app.preferences;
  createEffect(() => pane()?.setLook(lookOf(app)));
  createEffect(() => pane()?.setLabel(app.t('terminal_of', { name: tab.server_name })));
  createEffect(() => {
    void values.palette;
    followTheme(values.theme, () => pane()?.refreshTheme());
  });
  createEffect(() => pane()?.setReadable(tab.readable_size === true));
  createEffect(() => {
    const size = facts.size();
    if (size) pane()?.fix(size);
  });
}

/** Remembers the running shell so that a reload resumes it. */
export function rememberSession(tabs: Tabs, tab: Tab, link: ShellLink): void {
  createEffect(() => {
    const state = link.state();
    untrack(() => (isGuest(tab) ? nameAfter(state, tabs, tab) : keepSession(state, tabs, tab)));
  });
}

function nameAfter(state: TerminalState, tabs: Tabs, { id, aim }: Tab): void {
  if (state.kind === 'open' && aim?.kind === 'join') tabs.setName(id, state.server);
}

function keepSession(state: TerminalState, tabs: Tabs, { id }: Tab): void {
  if (state.kind === 'open') tabs.setSession(id, state.session_id);
  else if (state.kind === 'over' && !mayComeBack(state.ending.kind)) tabs.setSession(id, undefined);
}

function mayComeBack(ending: string): boolean {
  return MAY_COME_BACK.has(ending);
}

const MAY_COME_BACK: ReadonlySet<string> = new Set(['taken_over', 'unreachable', 'proxy', 'sign_in']);

/** True once the condition has held for a while. */
export function createLate(is_so: () => boolean, delay_ms: number): Accessor<boolean> {
  const [is_late, setLate] = createSignal(false);
  createEffect(() => {
    if (!is_so()) {
      setLate(false);
      return;
    }
    const timer = setTimeout(() => setLate(true), delay_ms);
    onCleanup(() => clearTimeout(timer));
  });
  return is_late;
}

/** Disposes of the value when its owner is cleaned up, or immediately if it already was. */
export function keeper<T>(dispose: (value: T) => void): (value: T) => boolean {
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

export function pingWhile(wanted: () => boolean, ping: () => void, interval_ms: number): void {
  const timer = setInterval(() => wanted() && ping(), interval_ms);
  onCleanup(() => clearInterval(timer));
}

/** The `system` theme may change while the page is open. */
function followTheme(theme: string, refresh: () => void): void {
  queueMicrotask(refresh); // the page itself may take the theme after this effect
  if (theme !== 'system') return;
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', refresh);
  onCleanup(() => query.removeEventListener('change', refresh));
}
