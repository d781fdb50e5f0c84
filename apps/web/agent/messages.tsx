import Check from 'lucide-solid/icons/check';
import ChevronRight from 'lucide-solid/icons/chevron-right';
import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import X from 'lucide-solid/icons/x';
import { For, Index, Match, Show, Switch } from 'solid-js';
import type { AgentMessage, AgentStep, AgentUsage } from '#client/agent.ts';
import { useApp } from '../app/context.ts';
import { formatNumber } from '../lib/format.ts';
import { shownText } from '../lib/hidden-characters.ts';
import { Name } from '../parts/name.tsx';
import { Answer } from './answer.tsx';
import type { AgentChat } from './chat.ts';
import type { Inserting } from './code-tools.tsx';

interface Props {
  readonly chat: AgentChat;
  readonly inserting: Inserting | undefined;
}

export function AgentMessages(props: Props) {
  const { t } = useApp();
  return (
    <ol class="agent-messages" aria-label={t('agent_history')}>
      <For each={props.chat.messages}>
        {(message) => (
          <li class={`agent-message agent-message-${message.role}`}>
            <Show when={message.role === 'assistant'} fallback={<Question message={message} />}>
              <Reply message={message} usage={props.chat.usageOf(message.id)} inserting={props.inserting} />
            </Show>
          </li>
        )}
      </For>
    </ol>
  );
}

function Question(props: { message: AgentMessage }) {
  const { t } = useApp();
  return (
    <>
      <p class="agent-question">
        <span class="visually-hidden">{t('agent_you_asked')} </span>
        {shownText(props.message.content)}
      </p>
      <Show when={props.message.context}>
        <details class="agent-context">
          <summary>{t('agent_attached')}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre tabIndex={0}>{hostText(props.message.context)}</pre>
        </details>
      </Show>
    </>
  );
}

interface ReplyProps {
  readonly message: AgentMessage;
  readonly usage: AgentUsage | undefined;
  readonly inserting: Inserting | undefined;
}

function Reply(props: ReplyProps) {
  const { preferences, t } = useApp();
  const count = (tokens: number) => formatNumber(tokens, preferences.values.language);
  return (
    <>
      <h4 class="visually-hidden">{t('agent_answer')}</h4>
      <Show when={props.message.steps.length > 0}>
        <ul class="agent-steps" aria-label={t('agent_steps_list')}>
          <Index each={props.message.steps}>
            {(step) => <Step step={step()} ended={props.message.state} />}
          </Index>
        </ul>
      </Show>
      <Show when={props.message.content}>
        <Answer text={props.message.content} inserting={props.inserting} />
      </Show>
      <Ending message={props.message} />
      <Show when={props.usage}>
        {(usage) => (
          <p class="agent-usage">
            {t('agent_usage', { input: count(usage().input_tokens), output: count(usage().output_tokens) })}
          </p>
        )}
      </Show>
    </>
  );
}

/** What follows an answer that is not whole. */
function Ending(props: { message: AgentMessage }) {
  const { t } = useApp();
  const reason = () => {
    const { error } = props.message;
    if (!error) return t('agent_answer_failed');
    if (error.code === 'agent_failed') {
      return t('agent_answer_unavailable', { reason: t.complaint(error.message) });
    }
    const { text, specifics } = t.refusal(error.code, error.message);
    return [text, specifics].filter((part) => part).join(' · ');
  };
  return (
    <Switch>
      <Match when={props.message.state === 'running'}>
        <p class="agent-note">
          <span class="spinner" aria-hidden="true" /> {t('agent_thinking')}
        </p>
      </Match>
      <Match when={props.message.state === 'cancelled'}>
        <p class="agent-note">{t('agent_cancelled')}</p>
      </Match>
      <Match when={props.message.state === 'failed' || props.message.error}>
        <p class="agent-note agent-note-bad">
          <TriangleAlert size={15} aria-hidden="true" /> <span>{reason()}</span>
        </p>
      </Match>
    </Switch>
  );
}

/** One use of a tool. */
function Step(props: { step: AgentStep; ended: AgentMessage['state'] }) {
  const state = () => {
    if (props.step.ok === null) return props.ended === 'running' ? 'running' : 'stopped';
    return props.step.ok ? 'ok' : 'failed';
  };
  const line = () => Object.values(props.step.arguments).map(shownValue).join(' ');
  return (
    <li>
      <details class="agent-step">
        <summary>
          <ChevronRight class="agent-step-mark" size={13} aria-hidden="true" />
          <StepState state={state()} />
          <span class="agent-step-name">
            <code>{props.step.tool}</code> <Name text={line()} />
          </span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <pre tabIndex={0}>{hostText(JSON.stringify(props.step.arguments, null, 2))}</pre>
        <Show when={props.step.summary}>
          <p>{hostText(props.step.summary)}</p>
        </Show>
      </details>
    </li>
  );
}

function StepState(props: { state: 'running' | 'stopped' | 'ok' | 'failed' }) {
  const { t } = useApp();
  return (
    <span class={`agent-step-state agent-step-${props.state}`}>
      <Switch fallback={<X size={13} aria-hidden="true" />}>
        <Match when={props.state === 'running'}>
          <span class="spinner" aria-hidden="true" />
        </Match>
        <Match when={props.state === 'ok'}>
          <Check size={13} aria-hidden="true" />
        </Match>
      </Switch>
      <span class="visually-hidden">{t(`agent_step_${props.state}`)}</span>
    </span>
  );
}

/** Text with names of a host in it. */
function hostText(text: string): string {
  return shownText(text.replace(/\r\n?/g, '\n'));
}

const MOST_LETTERS = 120;

function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}
