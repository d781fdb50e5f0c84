import { useQuery, useQueryClient } from '@tanstack/solid-query';
import ArrowLeft from 'lucide-solid/icons/arrow-left';
import { createEffect, createMemo, createSignal, on, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { type Attempt, createAttempt } from '../../lib/attempt.ts';
import { HelpLink } from '../../parts/help-link.tsx';
import { Pages } from '../../parts/pages.tsx';
import { QueryBar } from '../../parts/query-bar/query-bar.tsx';
import { isEmpty } from '../../parts/query-bar/read.ts';
import { createQueryState } from '../../parts/query-bar/state.ts';
import { QueryState } from '../../parts/query-state.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { DeliveryTable, TestOutcome } from './delivery.tsx';
import { createDeliveryKeys, deliveryConditions, deliveryProblem } from './delivery-query.ts';
import {
  DELIVERIES_PAGE,
  type Delivery,
  deliveriesQuery,
  replayDelivery,
  testOf,
  testWebhook,
  WEBHOOKS_KEY,
  type Webhook,
} from './webhooks.ts';

interface Props {
  readonly webhook: Webhook;
  /** Sends a test on mount. */
  readonly test: boolean;
  readonly onClose: () => void;
}

/** The deliveries of one webhook and their outcomes. */
export function WebhookDeliveries(props: Props) {
  const { t } = useApp();
  const list = createDeliveries(props);
  const why = useReadOnlyReason();
  let heading: HTMLHeadingElement | undefined;
  onMount(() => {
    heading?.focus();
    if (props.test) void list.test();
  });
  return (
    <section class="section section-wide section-list" aria-labelledby="deliveries-title">
      <div class="section-heading">
        <button
          type="button"
          class="icon-button icon-button-small"
          aria-label={t('webhook_back')}
          title={t('webhook_back')}
          onClick={() => props.onClose()}
        >
          <ArrowLeft size={16} aria-hidden="true" />
        </button>
        <h3 class="section-title" id="deliveries-title" tabIndex={-1} ref={heading}>
          {t('webhook_deliveries_of', { name: props.webhook.name })}
        </h3>
        <HelpLink path="webhooks.html#delivery-and-retries" about={t('webhook_deliveries')} />
      </div>
      <QueryBar
        id="deliveries"
        label={t('webhook_deliveries_bar')}
        keys={list.keys()}
        state={list.state}
        problem={deliveryProblem(list.state.query())}
      >
        <ReasonButton why={why()} busy={list.testing.busy()} onPress={() => void list.test()}>
          {t('webhook_test_send')}
        </ReasonButton>
      </QueryBar>
      <div role="status">
        <TestOutcome sent={list.sent()} busy={list.testing.busy()} delivery={list.tested()} />
      </div>
      <Failure attempt={list.testing} title={t('webhook_not_tested')} />
      <Failure attempt={list.replaying} title={t('webhook_not_replayed')} />
      <QueryState query={list.query} failure={t('webhook_deliveries_failed')}>
        {(known) => (
          <Show
            when={known().deliveries.length > 0 || known().page > 0}
            fallback={
              <p class="empty">{t(isEmpty(list.state.query()) ? 'webhook_deliveries_empty' : 'no_match')}</p>
            }
          >
            <DeliveryTable deliveries={known().deliveries} onReplay={list.replay} onReplayed={list.refresh} />
            <Pages
              each={DELIVERIES_PAGE}
              page={known().page}
              shown={known().deliveries.length}
              total={known().total}
              onGo={list.go}
            />
          </Show>
        )}
      </QueryState>
    </section>
  );
}

function createDeliveries(props: Props) {
  const { client } = useApp();
  const queries = useQueryClient();
  const [page, setPage] = createSignal(0);
  const [since_id, setSince] = createSignal<number>();
  const testing = createAttempt();
  const replaying = createAttempt();
  const keys = createDeliveryKeys();
  const state = createQueryState(keys, 'deliveries_q');
  const conditions = createMemo(() => deliveryConditions(state.query()));
  createEffect(on(conditions, () => setPage(0), { defer: true }));
  const webhook_id = props.webhook.id;
  const query = useQuery(() =>
    deliveriesQuery(client, { webhook_id, page: page(), conditions: conditions() }),
  );
  const newest = useQuery(() => deliveriesQuery(client, { webhook_id, page: 0 }));
  const refresh = () => queries.invalidateQueries({ queryKey: ['deliveries', props.webhook.id] });

  // The list of webhooks shows the time and outcome of the last delivery.
  const settled = () => newest.data?.deliveries.filter(({ status }) => status !== 'pending').length;
  createEffect(
    on(settled, () => void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY }), { defer: true }),
  );

  return {
    keys,
    state,
    query,
    testing,
    replaying,
    go: setPage,
    refresh,
    sent: () => since_id() !== undefined,
    tested: () => testOf(newest.data?.deliveries ?? [], since_id() ?? Number.POSITIVE_INFINITY),
    test: () =>
      testing.run(async () => {
        setSince(undefined);
        const known = await queries.fetchQuery({
          ...deliveriesQuery(client, { webhook_id, page: 0 }),
          staleTime: 0,
        });
        await testWebhook(client, props.webhook);
        setSince(known.deliveries[0]?.id ?? 0);
        setPage(0);
        await refresh();
      }),
    replay: (delivery: Delivery) =>
      void replaying.run(async () => {
        await replayDelivery(client, delivery);
        setPage(0);
        await refresh();
      }),
  };
}

function Failure(props: { attempt: Attempt; title: string }) {
  return (
    <Show when={props.attempt.error()}>
      <Trouble title={props.title} error={props.attempt.error()} compact />
    </Show>
  );
}
