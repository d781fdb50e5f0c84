import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import type { Ending } from '#client/terminal/ending.ts';
import { useApp } from '../../app/context.ts';
import { createBell } from '../../terminal/bell.ts';
import { createPasteGuard } from '../../terminal/clipboard/paste-guard.ts';
import { createKeyboard } from '../../terminal/keyboard/keyboard.ts';
import { OutputQueue } from '../../terminal/output/queue.ts';
import { linkHint } from '../../terminal/pane/links.ts';
import { openPane, type Pane } from '../../terminal/pane/pane.ts';
import { createSessionFacts } from '../../terminal/session-facts.ts';
import { createShellLink, type ShellLink } from '../../terminal/shell-link.ts';
import { describeEnding } from '../../terminal/status.ts';
import { keeper, lookOf, pingWhile } from '../../terminal/upkeep.ts';
import type { ViewParts } from '../element.ts';
import type { EmbedError } from '../events.ts';
import { panePlaceIn } from '../pane-place.ts';
import { useFont } from '../styles.ts';
import { createTrouble } from '../view.tsx';

const PING_INTERVAL_MS = 5000;

export type EmbeddedTerminal = ReturnType<typeof createEmbeddedTerminal>;

export function createEmbeddedTerminal(parts: ViewParts) {
  const app = useApp();
  const { session, look, emit } = parts;
  const [pane, setPane] = createSignal<Pane>();
  const [server_name, setServerName] = createSignal('');
  const { trouble, forget, fail } = createTrouble();
  const [mode, setMode] = createSignal<'rw' | 'ro'>('rw');
  const facts = createSessionFacts();
  const link: ShellLink = createShellLink({
    client: session.client,
    idle: false,
    output: (bytes) => queue.push(bytes),
    news: facts.learn,
    overflow: () => undefined,
    input_lost: () => undefined, // its end is shown
    outlives: () => false,
    onTrouble: () => undefined,
  });
  const queue: OutputQueue = new OutputQueue({
    sink: {
      write: (bytes, parsed) => pane()?.write(bytes, parsed),
      isAlternate: () => pane()?.isAlternate() === true,
    },
    parsed: link.parsed,
    onTorn: link.refresh,
  });
  const keyboard = createKeyboard(link, queue);
  const canType = () => mode() === 'rw' && look.mode === 'rw';
  const paste = createPasteGuard(
    () => app.preferences.values.confirm_paste,
    (text) => pane()?.paste(text),
  );
  const ended = () => trouble() !== undefined || link.state().kind === 'over';

  async function openShell(): Promise<void> {
    const state = link.state();
    const is_doubtful = state.kind === 'over' && state.ending.kind !== 'exit';
    forget();
    queue.settle();
    facts.begin();
    try {
      const started = await session.ensure({ is_doubtful });
      setServerName(started.server.name);
      setMode(started.mode);
      link.open({ kind: 'server', server_id: look.server_id }, pane()?.size());
    } catch (error) {
      fail(error);
    }
  }

  const events = {
    input: (data: string | Uint8Array) => canType() && keyboard.type(data),
    resize: link.resize,
    paste: (text: string) => canType() && paste.offer(text),
    pasteFromClipboard: () => void (canType() && paste.read()),
    pastesBySecondButton: () => false,
    zoom: app.preferences.zoom,
    copyOnSelect: () => false,
    search: () => undefined,
    found: () => undefined,
    bell: createBell({ visual: () => undefined, kind: () => 'none' }),
    linkHint: () => linkHint(app.t),
    titled: (title: string) => emit('title', { title }),
    located: () => undefined,
    small: () => undefined,
    draggedInProgram: () => undefined,
    clipboardWritten: () => undefined, // the page around the element has not been asked
    clipboardAsked: () => undefined,
    ended,
    openAgain: () => void openShell(),
  };

  const font = useFont();
  onCleanup(font.release);
  const keep = keeper<Pane>((opened) => opened.dispose());
  async function attach(element: HTMLElement): Promise<void> {
    await font.loaded;
    try {
      const opened = await openPane(element, {
        look: lookOf(app),
        renderer: app.preferences.values.renderer,
        label: app.t('terminal'),
        answers: true,
        events,
        place: panePlaceIn(parts.root),
      });
      if (!keep(opened)) return;
      setPane(opened);
      await openShell();
    } catch (error) {
      fail(error);
    }
  }

  createEffect(() => pane()?.setLook(lookOf(app)));
  createEffect(() => {
    void app.preferences.values.theme;
    queueMicrotask(() => pane()?.refreshTheme());
  });
  reportState(parts, link, trouble);
  pingWhile(() => !document.hidden, link.ping, PING_INTERVAL_MS);

  return {
    link,
    paste,
    trouble,
    server_name,
    attach: (element: HTMLElement) => void attach(element),
    open: () => {
      pane()?.beginAnew();
      void openShell();
      pane()?.focus();
    },
    describe: (ending: Ending) => {
      if (ending.kind === 'sign_in') return { title: app.t('embed_ended') };
      return describeEnding(ending, { server_name: server_name(), server_id: look.server_id }, app.t);
    },
    focus: () => pane()?.focus(),
    send: (text: string) => void (canType() && keyboard.send(text)),
    fit: () => pane()?.fit(),
  };
}

function reportState(
  { emit, look }: ViewParts,
  link: ShellLink,
  trouble: () => EmbedError | undefined,
): void {
  createEffect(
    on(link.state, (state) => {
      if (state.kind === 'open') emit('ready', { server_id: look.server_id, server_name: state.server });
      if (state.kind !== 'over') return;
      const { ending } = state;
      if (ending.kind === 'exit') emit('exit', { code: ending.code, signal: ending.signal });
      else if ('error' in ending) emit('error', { code: ending.error.code, message: ending.error.message });
      else if (ending.kind !== 'given_up') emit('error', { code: ending.kind, message: ending.kind });
    }),
  );
  createEffect(
    on(trouble, (found) => {
      if (found) emit('error', found);
    }),
  );
}
