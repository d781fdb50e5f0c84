import { createMemo, Match, onMount, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Lines } from '../../parts/name.tsx';
import type { createPasteGuard } from '../../terminal/clipboard/paste-guard.ts';
import { TerminalPrompt } from '../../terminal/prompt.tsx';
import { Silent } from '../../terminal/silent.tsx';
import { isCalm } from '../../terminal/status.ts';
import type { ElementView, ViewParts } from '../element.ts';
import { type ContentProps, Ended, renderView } from '../view.tsx';
import { createEmbeddedTerminal, type EmbeddedTerminal } from './controller.ts';
import '../../terminal/tab.css';

export function openTerminalView(parts: ViewParts): ElementView {
  return renderView(parts, TerminalContent);
}

function TerminalContent(props: ContentProps) {
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
      <Match when={props.terminal.link.silent_since()}>
        {(since_ms) => <Silent since_ms={since_ms()} onReconnect={props.terminal.link.reconnectNow} />}
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

function PasteQuestion(props: { paste: ReturnType<typeof createPasteGuard> }) {
  const { t } = useApp();
  return (
    <Show when={props.paste.pending()}>
      {(pending) => (
        <div class="banner banner-cut-off" role="alertdialog" aria-label={t('paste')}>
          <pre class="embed-paste">
            <Lines text={pending().text} />
          </pre>
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
