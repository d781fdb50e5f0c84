import { useQuery } from '@tanstack/solid-query';
import { createMemo, Match, type ParentProps, Show, Switch } from 'solid-js';
import type { Ending } from '#client/terminal/ending.ts';
import type { LinkState } from '#client/terminal/events.ts';
import { useAgentPanels } from '../agent/panels.ts';
import { agentStatusQuery } from '../agent/status.ts';
import { useApp } from '../app/context.ts';
import { createClock } from '../lib/clock.ts';
import { loadable } from '../parts/loadable.tsx';
import { Said } from '../parts/name.tsx';
import type { Tab } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import type { TerminalController } from './controller.ts';
import type { InputLoss } from './session-facts.ts';
import { Silent } from './silent.tsx';
import { describeEnding, type EndingText, isCalm } from './status.ts';
import { UnreadInput } from './unread.tsx';
import './banner.css';

/** What to do about a changed host key, which is rare. */
const NewKey = loadable(async () => (await import('./new-key.tsx')).NewKey, {
  Placeholder: () => null,
  Frame: (props) => <>{props.children}</>,
});

type Refusal = Extract<Ending, { error: unknown }>['error'];
type Reconnecting = Extract<LinkState, { kind: 'reconnecting' }>;

interface Props {
  readonly controller: TerminalController;
  readonly tab: Tab;
  readonly onAccepted: () => void;
}

/** Shown while there is no shell. */
export function TerminalBanner(props: Props) {
  const { t } = useApp();
  const ending = createMemo((): Ending | undefined => {
    const state = props.controller.state();
    return state.kind === 'over' ? state.ending : undefined;
  });

  return (
    <Switch>
      <Match when={props.controller.prompt()}>{null}</Match>
      <Match when={props.controller.state().kind === 'connecting'}>
        <p class="banner banner-over" role="status">
          <span class="spinner" aria-hidden="true" /> {t('connecting_to', { name: props.tab.server_name })}
          <Show when={props.controller.facts.stage()}>
            {(frame) => (
              <span class="banner-stage">
                {[frame().hop, t(`stage_${frame().stage}`)].filter((part) => part).join(': ')}
              </span>
            )}
          </Show>
        </p>
      </Match>
      <Match when={props.controller.state().kind === 'idle'}>
        <Gone {...props} />
      </Match>
      <Match when={ending()}>{(over) => <Over {...props} ending={over()} />}</Match>
    </Switch>
  );
}

/** For a tab whose shell ended before a reload or another sign-in. */
function Gone(props: Props) {
  const { session, t } = useApp();
  const title = () => {
    const why = session.last_farewell();
    return why ? (`idle_${why}` as const) : 'idle_title';
  };
  return <Banner title={t(title())} tab_id={props.tab.id} onNext={props.controller.again()} />;
}

function Over(props: Props & { ending: Ending }) {
  const { session, t } = useApp();
  const about = () => ({ ...props.tab, is_admin: session.user()?.is_admin ?? false });
  return (
    <Banner
      {...describeEnding(props.ending, about(), t)}
      bad={!isCalm(props.ending.kind)}
      tab_id={props.tab.id}
      loss={props.controller.facts.loss()}
      next={props.ending.kind === 'taken_over' ? t('live_continue') : undefined}
      onNext={props.controller.again()}
    >
      <Show when={isFailure(props.ending)}>
        <Explain tab={props.tab} text={describeEnding(props.ending, about(), t)} />
      </Show>
      <Show when={keyChange(props.ending)}>
        {(refusal) => <NewKey tab={props.tab} refusal={refusal()} onAccepted={props.onAccepted} />}
      </Show>
    </Banner>
  );
}

/** Asks the agent about the failure, where it answers. */
function Explain(props: { tab: Tab; text: EndingText }) {
  const { client, t } = useApp();
  const agent = useAgentPanels();
  const status = useQuery(() => agentStatusQuery(client, props.tab.server_id));
  const text = () => [props.text.title, props.text.detail, props.text.hint].filter((part) => part).join('\n');
  const open = () =>
    agent.open({
      tab_id: props.tab.id,
      attachment: { kind: 'error', text: text() },
      question: t('agent_explain_question'),
    });
  return (
    <Show when={status.data?.enabled}>
      <button type="button" class="button" onClick={open}>
        {t('agent_explain')}
      </button>
    </Show>
  );
}

/** Shown while disconnected from a running shell, or while the gateway does not answer or the host does not read. It overlays the terminal, whose size must match the missed output. */
export function TerminalCutOff(props: { controller: TerminalController }) {
  const state = createMemo((): Reconnecting | undefined => {
    const present = props.controller.state();
    return present.kind === 'reconnecting' && props.controller.is_cut_off() ? present : undefined;
  });
  return (
    <Switch>
      <Match when={state()}>
        {(present) => <CutOff state={present()} onReconnect={props.controller.reconnectNow} />}
      </Match>
      <Match when={props.controller.silent_since()}>
        {(since_ms) => <Silent since_ms={since_ms()} onReconnect={props.controller.reconnectNow} />}
      </Match>
      <Match when={props.controller.unread_bytes()}>{(bytes) => <UnreadInput bytes={bytes()} />}</Match>
    </Switch>
  );
}

function CutOff(props: { state: Reconnecting; onReconnect: () => void }) {
  const { t } = useApp();
  const now = createClock();
  const seconds = () => {
    const { next_at } = props.state;
    return next_at === undefined ? 0 : Math.max(0, Math.ceil((next_at - now()) / 1000));
  };
  const reason = () => {
    const { error } = props.state;
    return error && t.refusal(error.code, error.message).text;
  };
  return (
    <div class="banner banner-cut-off">
      <p class="banner-text">
        <strong role="status">
          <Show when={seconds() > 0} fallback={t('reconnecting')}>
            <span aria-hidden="true">{t('reconnect_in', { seconds: seconds() })}</span>
            <span class="visually-hidden">{t('reconnecting')}</span>
          </Show>
        </strong>
        <Show when={reason()}>
          <span>{reason()}</span>
        </Show>
        <span class="banner-hint">{t('reconnect_hint')}</span>
      </p>
      <div class="banner-actions">
        <button type="button" class="button" onClick={() => props.onReconnect()}>
          {t('reconnect_now')}
        </button>
      </div>
    </div>
  );
}

interface BannerProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  readonly bad?: boolean;
  readonly tab_id: string;
  /** The label of the next step, if it is not to open again. */
  readonly next?: string | undefined;
  readonly onNext: (() => void) | undefined;
  /** What was typed for the terminal has not reached it, or perhaps not. */
  readonly loss?: InputLoss | undefined;
}

function Banner(props: ParentProps<BannerProps>) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  return (
    <div class="banner" classList={{ 'banner-bad': props.bad ?? false }} role="alert">
      <p class="banner-text">
        <strong>
          <Said text={props.title} />
        </strong>
        <Show when={props.detail}>
          {(text) => (
            <span>
              <Said text={text()} />
            </span>
          )}
        </Show>
        <Show when={props.hint}>
          <span class="banner-hint">{props.hint}</span>
        </Show>
        <Show when={props.loss}>{(loss) => <span class="banner-hint">{t(loss())}</span>}</Show>
      </p>
      <div class="banner-actions">
        <Show when={props.onNext}>
          {(onNext) => (
            <button type="button" class="button" data-takes-focus onClick={() => onNext()()}>
              {props.next ?? t('open_again')}
            </button>
          )}
        </Show>
        {props.children}
        <button
          type="button"
          class="button button-quiet"
          data-takes-focus={props.onNext ? undefined : ''}
          onClick={() => tabs.close(props.tab_id)}
        >
          {t('close_tab')}
        </button>
      </div>
    </div>
  );
}

function isFailure(ending: Ending): boolean {
  return ending.kind === 'failed';
}

function keyChange(ending: Ending): Refusal | undefined {
  return 'error' in ending && ending.error.code === 'host_key_changed' ? ending.error : undefined;
}
