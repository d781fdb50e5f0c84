import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createClock } from '../../lib/clock.ts';
import { formatAgo, formatInstant } from '../../lib/format.ts';
import { lastStateOf, type Webhook } from './webhooks.ts';

const TICK_MS = 10_000;

export function EventBadge(props: { event: string }) {
  const { t } = useApp();
  const label = () =>
    props.event === '*' ? t('webhook_all_events') : (t.optional(`event_${props.event}`) ?? props.event);
  return (
    <span class="badge" title={props.event}>
      {label()}
    </span>
  );
}

/** The time and outcome of the last delivery. */
export function LastFired(props: { webhook: Webhook }) {
  const { preferences, t } = useApp();
  const now = createClock(TICK_MS);
  const state = () => lastStateOf(props.webhook);
  const fired_at = () => props.webhook.last_fired_at ?? '';
  const words = () => t(`webhook_last_${state()}`, { status: props.webhook.last_status ?? 0 });
  return (
    <>
      <span classList={{ good: state() === 'good', bad: state() === 'refused' || state() === 'unanswered' }}>
        {words()}
      </span>
      <Show when={state() !== 'never'}>
        {' · '}
        <time dateTime={fired_at()} title={fired_at()}>
          {formatAgo(fired_at(), now(), preferences.values.language)}
        </time>
      </Show>
    </>
  );
}

/** Whether deliveries are signed, and until when with two secrets. */
export function Signed(props: { webhook: Webhook }) {
  const { preferences, t } = useApp();
  return (
    <>
      {t(props.webhook.has_secret ? 'webhook_signed' : 'webhook_unsigned')}
      <Show when={props.webhook.previous_secret_until}>
        {(until) => {
          const time = () => formatInstant(until(), preferences.values.language);
          return ` · ${t('webhook_previous_secret', { time: time() })}`;
        }}
      </Show>
    </>
  );
}
