import { useQuery, useQueryClient } from '@tanstack/solid-query';
import ArrowLeft from 'lucide-solid/icons/arrow-left';
import { createEffect, createSignal, on, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { type Attempt, createAttempt } from '../../lib/attempt.ts';
import { HelpLink } from '../../parts/help-link.tsx';
import { Pages } from '../../parts/pages.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { DeliveryTable, TestOutcome } from './delivery.tsx';
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
    <section class="section section-wide" aria-labelledby="deliveries-title">
      <button type="button" class="button button-quiet webhook-back" onClick={() => props.onClose()}>
        <ArrowLeft size={15} aria-hidden="true" /> {t('webhook_back')}
      </button>
      <div class="section-heading">
        <h3 class="section-title" id="deliveries-title" tabIndex={-1} ref={heading}>
          {t('webhook_deliveries_of', { name: props.webhook.name })}
        </h3>
        <HelpLink path="webhooks.html#delivery-and-retries" about={t('webhook_deliveries')} />
      </div>
      <p class="section-lead">{t('webhook_deliveries_lead')}</p>
      <div class="webhook-test">
        <ReasonButton why={why()} busy={list.testing.busy()} onPress={() => void list.test()}>
          {t('webhook_test_send')}
        </ReasonButton>
        <span role="status">
          <TestOutcome sent={list.sent()} busy={list.testing.busy()} delivery={list.tested()} />
        </span>
      </div>
      <Failure attempt={list.testing} title={t('webhook_not_tested')} />
      <Failure attempt={list.replaying} title={t('webhook_not_replayed')} />
      <QueryState query={list.query} failure={t('webhook_deliveries_failed')}>
        {(known) => (
          <Show
            when={known().deliveries.length > 0 || known().page > 0}
            fallback={<p class="empty">{t('webhook_deliveries_empty')}</p>}
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
  const query = useQuery(() => deliveriesQuery(client, props.webhook.id, page()));
  const newest = useQuery(() => deliveriesQuery(client, props.webhook.id, 0));
  const refresh = () => queries.invalidateQueries({ queryKey: ['deliveries', props.webhook.id] });

  // The list of webhooks shows the time and outcome of the last delivery.
  const settled = () => newest.data?.deliveries.filter(({ status }) => status !== 'pending').length;
  createEffect(
    on(settled, () => void queries.invalidateQueries({ queryKey: WEBHOOKS_KEY }), { defer: true }),
  );

  return {
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
          ...deliveriesQuery(client, props.webhook.id, 0),
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
