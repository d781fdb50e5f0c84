import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { createClock } from '../../lib/clock.ts';
import { formatMoment } from '../../lib/format.ts';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { EventBadge } from './row.tsx';
import type { Delivery } from './webhooks.ts';

interface Props {
  readonly deliveries: readonly Delivery[];
  readonly onReplay: (delivery: Delivery) => void;
}

export function DeliveryTable(props: Props) {
  const { t } = useApp();
  const columns: Column<Delivery>[] = [
    { title: 'webhook_event', cell: (delivery) => <DeliveryEvent delivery={delivery} /> },
    { title: 'status', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
    { title: 'webhook_answer', class: 'delivery-answer', cell: (delivery) => <Answer delivery={delivery} /> },
    {
      title: 'time',
      class: 'table-soft delivery-time',
      cell: (delivery) => <DeliveryTime delivery={delivery} />,
    },
    {
      title: 'action',
      is_title_hidden: true,
      class: 'delivery-action',
      cell: (delivery) => <ReplayButton delivery={delivery} onPress={() => props.onReplay(delivery)} />,
    },
  ];
  return (
    <Table class="deliveries" label={t('webhook_deliveries')} columns={columns} rows={props.deliveries} />
  );
}

function DeliveryEvent(props: { delivery: Delivery }) {
  const { t } = useApp();
  return (
    <>
      <EventBadge event={props.delivery.event} />
      <Show when={props.delivery.replay_of}>
        {(id) => <p class="field-hint">{t('webhook_replay_of', { id: id() })}</p>}
      </Show>
    </>
  );
}

function DeliveryTime(props: { delivery: Delivery }) {
  const { preferences, t } = useApp();
  const created_at = () => props.delivery.created_at;
  return (
    <time dateTime={created_at()} title={t('webhook_delivery_nr', { id: props.delivery.id })}>
      {formatMoment(created_at(), preferences.values.language)}
    </time>
  );
}

function ReplayButton(props: { delivery: Delivery; onPress: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <ReasonButton
      label={t('webhook_replay_nr', { id: props.delivery.id })}
      why={why()}
      onPress={() => props.onPress()}
    >
      {t('webhook_replay')}
    </ReasonButton>
  );
}

function DeliveryStatus(props: { delivery: Delivery }) {
  const { t } = useApp();
  const status = () => props.delivery.status;
  return (
    <>
      <span
        class="badge"
        classList={{
          'badge-good': status() === 'delivered',
          'badge-bad': status() === 'failed',
          'badge-busy': status() === 'pending',
        }}
      >
        {t(`webhook_${status()}`)}
      </span>
      <p class="field-hint delivery-attempts">{t('webhook_attempts', { count: props.delivery.attempts })}</p>
    </>
  );
}

/** The receiver's last answer, and the time of the next attempt. */
function Answer(props: { delivery: Delivery }) {
  const { t } = useApp();
  const status = () => props.delivery.last_status;
  return (
    <>
      <Show when={status() !== null}>
        <p>{t('webhook_http', { status: status() ?? 0 })}</p>
      </Show>
      <Show when={isRedirect(status())}>
        <p class="field-hint">{t('webhook_redirect')}</p>
      </Show>
      <Show when={status() === null}>
        <p class="delivery-error">{props.delivery.last_error}</p>
      </Show>
      <Show when={props.delivery.next_attempt_at}>{(instant) => <NextTry instant={instant()} />}</Show>
    </>
  );
}

function isRedirect(status: number | null): boolean {
  return status !== null && status >= 300 && status < 400;
}

function NextTry(props: { instant: string }) {
  const { t } = useApp();
  const now = createClock();
  const left_s = () => Math.ceil((Date.parse(props.instant) - now()) / 1000);
  return (
    <p class="field-hint">
      {left_s() > 0 ? t('webhook_next_try', { seconds: left_s() }) : t('webhook_trying')}
    </p>
  );
}

interface OutcomeProps {
  readonly sent: boolean;
  readonly busy: boolean;
  readonly delivery: Delivery | undefined;
}

/** The outcome of the test sent from this dialog. */
export function TestOutcome(props: OutcomeProps) {
  const { t } = useApp();
  const words = (delivery: Delivery) => {
    const { status, last_status, last_error, attempts } = delivery;
    const answer = last_status === null ? (last_error ?? '') : t('webhook_http', { status: last_status });
    if (status === 'pending')
      return attempts === 0 ? t('webhook_test_sending') : t('webhook_test_retried', { answer });
    return t(status === 'delivered' ? 'webhook_test_delivered' : 'webhook_test_failed', { answer });
  };
  return (
    <Switch>
      <Match when={props.delivery}>
        {(delivery) => <span class={toneOf(delivery())}>{words(delivery())}</span>}
      </Match>
      <Match when={props.busy || props.sent}>{t('webhook_test_sending')}</Match>
    </Switch>
  );
}

function toneOf({ status, attempts }: Delivery): string {
  if (status === 'delivered') return 'good';
  return status === 'failed' || attempts > 0 ? 'bad' : '';
}
