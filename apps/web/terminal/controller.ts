import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import { type LinkState, TerminalLink } from '#client/terminal.ts';
import type { App } from '../state/app-context.ts';
import type { Tab } from '../state/tabs.ts';
import type { Workspace } from '../state/workspace.ts';
import { isMultiline } from './clipboard.ts';
import { type KeyBarKey, type Modifiers, sequenceOf, withModifiers } from './keys.ts';
import { openPane, type Pane } from './pane.ts';
import { statusOf } from './status.ts';

const PING_INTERVAL_MS = 5000;
const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false };

/** `idle`: a tab from before a reload, whose shell is gone. */
export type TerminalState = LinkState | { readonly kind: 'idle' };

export interface TerminalController {
  readonly state: Accessor<TerminalState>;
  readonly ready: Accessor<boolean>;
  readonly pending_paste: Accessor<string | undefined>;
  readonly modifiers: Accessor<Modifiers>;
  attach(element: HTMLElement): void;
  openAgain(): void;
  focus(): void;
  answerPaste(accepted: boolean): void;
  press(key: KeyBarKey): void;
  hold(modifier: keyof Modifiers): void;
}

interface Options {
  readonly app: App;
  readonly workspace: Workspace;
  readonly tab: Tab;
  readonly active: Accessor<boolean>;
}

/** One terminal tab: its pane, its link, and what passes between them. */
export function createTerminalController({ app, workspace, tab, active }: Options): TerminalController {
  const { preferences, client, session, t } = app;
  const [state, setState] = createSignal<TerminalState>({ kind: tab.restored ? 'idle' : 'connecting' });
  const [pane, setPane] = createSignal<Pane>();
  const [round_trip_ms, setRoundTrip] = createSignal<number>();
  const [pending_paste, setPendingPaste] = createSignal<string>();
  const [modifiers, setModifiers] = createSignal(NO_MODIFIERS);
  let link: TerminalLink | undefined;
  let gone = false;

  function changed(next: LinkState): void {
    setState(next);
    if (next.kind !== 'open') setRoundTrip(undefined);
    if (next.kind === 'open') link?.ping();
    if (next.kind === 'over' && next.ending.kind !== 'exit') session.verify();
  }

  function open(): void {
    const shown = pane();
    if (!shown) return;
    link?.close();
    const started: TerminalLink = new TerminalLink({
      client,
      server_id: tab.server_id,
      size: shown.size(),
      events: {
        state: changed,
        output: (bytes) => shown.write(bytes, () => started.parsed(bytes.length)),
        round_trip: setRoundTrip,
      },
    });
    link = started;
  }

  function type(data: string | Uint8Array): void {
    const held = modifiers();
    link?.input(typeof data === 'string' && (held.ctrl || held.alt) ? withModifiers(data, held) : data);
    setModifiers(NO_MODIFIERS);
  }

  function paste(text: string): void {
    if (text === '') return;
    if (preferences.values.confirm_paste && isMultiline(text)) setPendingPaste(text);
    else pane()?.paste(text);
  }

  async function attachTo(element: HTMLElement): Promise<void> {
    const opened = await openPane(element, {
      font_size: preferences.values.font_size,
      renderer: preferences.values.renderer,
      label: t('terminal_of', { name: tab.server_name }),
      events: {
        input: type,
        resize: (size) => link?.resize(size),
        paste,
        zoom: preferences.zoom,
        copyOnSelect: () => preferences.values.copy_on_select,
      },
    });
    if (gone) {
      opened.dispose();
      return;
    }
    setPane(opened);
    if (!tab.restored) open();
  }

  createEffect(() => pane()?.setFontSize(preferences.values.font_size));
  createEffect(() => followTheme(preferences.values.theme, () => pane()?.refreshTheme()));
  createEffect(() => active() && pane()?.fit());
  createEffect(() => workspace.setStatus(tab.id, { ...statusOf(state()), round_trip_ms: round_trip_ms() }));
  const pinging = setInterval(() => active() && !document.hidden && link?.ping(), PING_INTERVAL_MS);
  onCleanup(() => {
    gone = true;
    clearInterval(pinging);
    link?.close();
    pane()?.dispose();
  });

  return {
    state,
    ready: () => active() && pane() !== undefined,
    pending_paste,
    modifiers,
    attach: (element) => {
      attachTo(element).catch((error: unknown) => {
        const failure = { code: 'page', message: error instanceof Error ? error.message : String(error) };
        setState({ kind: 'over', ending: { kind: 'failed', error: failure } });
      });
    },
    openAgain() {
      pane()?.beginAnew();
      open();
      pane()?.focus();
    },
    focus: () => pane()?.focus(),
    answerPaste(accepted) {
      const text = pending_paste();
      setPendingPaste(undefined);
      if (accepted && text !== undefined) pane()?.paste(text);
    },
    press(key) {
      link?.input(sequenceOf(key, pane()?.applicationCursor() === true, modifiers()));
      setModifiers(NO_MODIFIERS);
    },
    hold: (modifier) => setModifiers((held) => ({ ...held, [modifier]: !held[modifier] })),
  };
}

/** `system` may change while the page is open. */
function followTheme(theme: string, refresh: () => void): void {
  refresh();
  if (theme !== 'system') return;
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', refresh);
  onCleanup(() => query.removeEventListener('change', refresh));
}
