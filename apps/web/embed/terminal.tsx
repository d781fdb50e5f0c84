import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url';
import { createEffect, createMemo, createSignal, Match, on, onMount, Show, Switch } from 'solid-js';
import { render } from 'solid-js/web';
import type { Ending } from '#client/terminal/ending.ts';
import { useApp } from '../app-context.ts';
import { createBell } from '../terminal/bell.ts';
import { createPasteGuard } from '../terminal/clipboard/paste-guard.ts';
import { createKeyboard } from '../terminal/keyboard/keyboard.ts';
import { OutputQueue } from '../terminal/output/queue.ts';
import { openPane, type Pane } from '../terminal/pane/pane.ts';
import { TerminalPrompt } from '../terminal/prompt.tsx';
import { createSessionFacts } from '../terminal/session-facts.ts';
import { createShellLink, type ShellLink } from '../terminal/shell-link.ts';
import { describeEnding, isCalm } from '../terminal/status.ts';
import { keeper, lookOf, pingWhile } from '../terminal/upkeep.ts';
import { EmbeddedApp } from './app.tsx';
import { type ElementView, toError, type ViewParts } from './element.ts';
import type { EmbedError } from './events.ts';
import { panePlaceIn } from './pane-place.ts';
import { NoTicket } from './session.ts';
import { loadFont } from './styles.ts';
import '../terminal/tab.css';
import '../terminal/banner.css';
import './embed.css';

const PING_INTERVAL_MS = 5000;

export function openTerminalView(parts: ViewParts): ElementView {
  let verbs: Omit<ElementView, 'dispose'> | undefined;
  const dispose = render(
    () => (
      <EmbeddedApp parts={parts}>
        <EmbeddedTerminal
          parts={parts}
          onVerbs={(given) => {
            verbs = given;
          }}
        />
      </EmbeddedApp>
    ),
    parts.place,
  );
  return {
    focus: () => verbs?.focus(),
    send: (text) => verbs?.send(text),
    fit: () => verbs?.fit(),
    dispose,
  };
}

interface Props {
  readonly parts: ViewParts;
  readonly onVerbs: (verbs: Omit<ElementView, 'dispose'>) => void;
}

function EmbeddedTerminal(props: Props) {
  const { t } = useApp();
  const terminal = createEmbeddedTerminal(props.parts);
  let host: HTMLDivElement | undefined;
  onMount(() => host && terminal.attach(host));
  props.onVerbs(terminal);
  return (
    <section class="terminal" aria-label={t('terminal_of', { name: terminal.server_name() })}>
      <div class="terminal-middle">
        <div class="terminal-screen" data-palette="page">
          <div class="terminal-place">
            <div class="terminal-host" ref={host} />
          </div>
        </div>
        <State terminal={terminal} />
        <PasteQuestion paste={terminal.paste} />
        <Show when={terminal.link.prompt()} keyed>
          {(prompt) => (
            <TerminalPrompt
              prompt={prompt}
              onAnswer={(answers) => {
                terminal.link.answer(answers);
                terminal.focus();
              }}
              onGiveUp={terminal.link.giveUp}
            />
          )}
        </Show>
      </div>
    </section>
  );
}

/** Shown while there is no shell. */
function State(props: { terminal: EmbeddedTerminal }) {
  const { t } = useApp();
  const state = () => props.terminal.link.state();
  const over = createMemo(() => {
    const present = state();
    return present.kind === 'over' ? present.ending : undefined;
  });
  return (
    <Switch>
      <Match when={props.terminal.link.prompt()}>{null}</Match>
      <Match when={props.terminal.trouble()}>
        {(trouble) => <Ended title={trouble().message} bad again={props.terminal.open} />}
      </Match>
      <Match when={state().kind === 'connecting'}>
        <p class="banner banner-over" role="status">
          <span class="spinner" aria-hidden="true" />{' '}
          {t('connecting_to', { name: props.terminal.server_name() })}
        </p>
      </Match>
      <Match when={state().kind === 'reconnecting'}>
        <div class="banner banner-cut-off" role="status">
          <span>{t('state_reconnecting')}</span>
          <button type="button" class="button" onClick={() => props.terminal.link.reconnectNow()}>
            {t('reconnect_now')}
          </button>
        </div>
      </Match>
      <Match when={over()}>
        {(ending) => (
          <Ended
            {...props.terminal.describe(ending())}
            bad={!isCalm(ending().kind)}
            again={props.terminal.open}
          />
        )}
      </Match>
    </Switch>
  );
}

function Ended(props: { title: string; detail?: string | undefined; bad: boolean; again: () => void }) {
  const { t } = useApp();
  return (
    <div class="banner banner-cut-off" classList={{ 'banner-bad': props.bad }} role="alert">
      <span class="banner-text">
        <strong>{props.title}</strong>
        <Show when={props.detail}>{(detail) => <span>{detail()}</span>}</Show>
      </span>
      <button type="button" class="button" onClick={() => props.again()}>
        {t('open_again')}
      </button>
    </div>
  );
}

function PasteQuestion(props: { paste: ReturnType<typeof createPasteGuard> }) {
  const { t } = useApp();
  return (
    <Show when={props.paste.pending()}>
      {(pending) => (
        <div class="banner banner-cut-off" role="alertdialog" aria-label={t('paste')}>
          <pre class="embed-paste">{pending().text}</pre>
          <span class="actions">
            <button type="button" class="button" onClick={() => props.paste.answer(false)}>
              {t('cancel')}
            </button>
            <button type="button" class="button button-primary" onClick={() => props.paste.answer(true)}>
              {t('paste')}
            </button>
          </span>
        </div>
      )}
    </Show>
  );
}

type EmbeddedTerminal = ReturnType<typeof createEmbeddedTerminal>;

function createEmbeddedTerminal(parts: ViewParts) {
  const app = useApp();
  const { session, look, emit } = parts;
  const [pane, setPane] = createSignal<Pane>();
  const [server_name, setServerName] = createSignal('');
  const [trouble, setTrouble] = createSignal<EmbedError>();
  const [mode, setMode] = createSignal<'rw' | 'ro'>('rw');
  const facts = createSessionFacts();
  const link: ShellLink = createShellLink({
    client: session.client,
    idle: false,
    output: (bytes) => queue.push(bytes),
    news: facts.learn,
    overflow: () => undefined,
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

  function fail(error: unknown): void {
    const known =
      error instanceof NoTicket ? { code: 'no_ticket', message: app.t('embed_ended') } : undefined;
    setTrouble(known ?? toError(error));
  }

  async function openShell(): Promise<void> {
    const state = link.state();
    const is_doubtful = state.kind === 'over' && state.ending.kind !== 'exit';
    setTrouble(undefined);
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
    titled: (title: string) => emit('title', { title }),
    located: () => undefined,
    small: () => undefined,
    draggedInProgram: () => undefined,
    clipboardWritten: () => undefined, // the page around the element has not been asked
    clipboardAsked: () => undefined,
    ended,
    openAgain: () => void openShell(),
  };

  const keep = keeper<Pane>((opened) => opened.dispose());
  async function attach(element: HTMLElement): Promise<void> {
    await loadFont(mono);
    const open = () =>
      openPane(element, {
        look: lookOf(app),
        renderer: app.preferences.values.renderer,
        label: app.t('terminal'),
        answers: true,
        events,
        place: panePlaceIn(parts.root),
      });
    try {
      const opened = await open();
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
