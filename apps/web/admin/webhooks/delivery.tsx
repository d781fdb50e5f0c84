import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createClock } from '../../lib/clock.ts';
import { formatMoment } from '../../lib/format.ts';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import type { BulkAction } from '../../parts/table/bulk-run.ts';
import type { Column } from '../../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../../parts/table/drawer.tsx';
import { DataTable } from '../../parts/table/table.tsx';
import { EventBadge } from './facts.tsx';
import { type Delivery, replayDelivery } from './webhooks.ts';

interface Props {
  readonly deliveries: readonly Delivery[];
  readonly onReplay: (delivery: Delivery) => void;
  readonly onReplayed: () => unknown;
}

export function DeliveryTable(props: Props) {
  const { client, t } = useApp();
  const replay: BulkAction<Delivery> = {
    ...{ id: 'replay', label: t('bulk_replay') },
    question: (count) => t('bulk_replay_deliveries', { count }),
    run: (delivery) => replayDelivery(client, delivery),
    after: () => props.onReplayed(),
  };
  const columns = createColumns(props);
  const bulk = [replay];
  return (
    <DataTable
      id="deliveries"
      labelled_by="deliveries-title"
      columns={columns}
      rows={props.deliveries}
      idOf={({ id }) => id}
      nameOf={({ id }) => t('webhook_delivery_nr', { id })}
      bulk={bulk}
      details={(delivery) => <DeliveryDetails delivery={delivery} onReplay={props.onReplay} />}
    />
  );
}

function createColumns(props: Props): Column<Delivery>[] {
  const { preferences, t } = useApp();
  return [
    {
      ...{ id: 'id', title: 'entry', is_row_name: true, width: 84, class: 'table-number' },
      cell: ({ id }) => id,
    },
    {
      ...{ id: 'event', title: 'webhook_event', width: 150, grow: 1, rank: 2 },
      cell: (delivery) => <DeliveryEvent delivery={delivery} />,
    },
    {
      ...{ id: 'status', title: 'status', width: 120 },
      cell: (delivery) => <DeliveryStatus delivery={delivery} />,
    },
    {
      ...{ id: 'answer', title: 'webhook_answer', width: 140, grow: 3, rank: 1 },
      cell: (delivery) => <Answer delivery={delivery} />,
    },
    {
      ...{ id: 'attempts', title: 'webhook_attempts_title', width: 90, rank: 4, class: 'table-number' },
      cell: ({ attempts: count }) => t('webhook_attempts', { count }),
    },
    {
      ...{ id: 'time', title: 'time', width: 184, rank: 3, class: 'table-soft table-number' },
      cell: ({ created_at }) => (
        <time dateTime={created_at}>{formatMoment(created_at, preferences.values.language)}</time>
      ),
    },
    {
      ...{ id: 'action', title: 'action', is_title_hidden: true, width: 90 },
      cell: (delivery) => <ReplayButton delivery={delivery} onPress={() => props.onReplay(delivery)} />,
    },
  ];
}

function DeliveryDetails(props: { delivery: Delivery; onReplay: (delivery: Delivery) => void }) {
  const { preferences, t } = useApp();
  const moment = (instant: string) => formatMoment(instant, preferences.values.language);
  return (
    <>
      <DrawerActions>
        <ReplayButton delivery={props.delivery} onPress={() => props.onReplay(props.delivery)} />
      </DrawerActions>
      <Facts>
        <Fact label={t('webhook_event')}>
          <DeliveryEvent delivery={props.delivery} />
        </Fact>
        <Fact label={t('status')}>
          <DeliveryStatus delivery={props.delivery} />
        </Fact>
        <Fact label={t('webhook_answer')}>
          <Answer delivery={props.delivery} />
        </Fact>
        <Fact label={t('webhook_attempts_title')}>{props.delivery.attempts}</Fact>
        <Fact label={t('time')}>{moment(props.delivery.created_at)}</Fact>
      </Facts>
    </>
  );
}

function DeliveryEvent(props: { delivery: Delivery }) {
  const { t } = useApp();
  return (
    <>
      <EventBadge event={props.delivery.event} />
      <Show when={props.delivery.replay_of}>
        {(id) => (
          <>
            {' '}
            <span class="field-hint">{t('webhook_replay_of', { id: id() })}</span>
          </>
        )}
      </Show>
    </>
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
  );
}

/** The receiver's last answer, and the time of the next attempt. */
function Answer(props: { delivery: Delivery }) {
  const { t } = useApp();
  const status = () => props.delivery.last_status;
  const error = () => t.complaint(props.delivery.last_error ?? '');
  return (
    <>
      <Show when={status() !== null}>
        <span>{t('webhook_http', { status: status() ?? 0 })}</span>{' '}
      </Show>
      <Show when={isRedirect(status())}>
        <span class="field-hint">{t('webhook_redirect')}</span>{' '}
      </Show>
      <Show when={status() === null}>
        <span class="delivery-error" title={error()}>
          {error()}
        </span>{' '}
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
    <span class="field-hint">
      {left_s() > 0 ? t('webhook_next_try', { seconds: left_s() }) : t('webhook_trying')}
    </span>
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
    const answer =
      last_status === null ? t.complaint(last_error ?? '') : t('webhook_http', { status: last_status });
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
