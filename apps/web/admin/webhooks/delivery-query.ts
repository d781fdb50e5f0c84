import { useQuery } from '@tanstack/solid-query';
import { useApp } from '../../app/context.ts';
import type { QueryKey } from '../../parts/query-bar/keys.ts';
import { type Problem, periodOf, type Query, valuesOf } from '../../parts/query-bar/read.ts';
import { timeKeys } from '../../parts/query-bar/times.ts';
import { type Delivery, type DeliveryConditions, eventKindsQuery } from './webhooks.ts';

const STATUSES: readonly Delivery['status'][] = ['delivered', 'failed', 'pending'];

/** Returns the tokens that find deliveries. */
export function createDeliveryKeys() {
  const { client, t } = useApp();
  const kinds = useQuery(() => eventKindsQuery(client));
  const events = () =>
    kinds.data &&
    ['test', ...kinds.data].map((value) => ({ value, label: t.optional(`event_${value}`) ?? value }));
  const statuses = STATUSES.map((value) => ({ value, label: t(`webhook_${value}`) }));
  const times = timeKeys(t);
  return (): readonly QueryKey[] => [
    { key: 'status', label: 'status', values: () => statuses },
    { key: 'event', label: 'webhook_event', values: events },
    ...times,
  ];
}

/** Converts the tokens for the API. The bar has checked their values. */
export function deliveryConditions(query: Query): DeliveryConditions {
  const [event, status] = ['event', 'status'].map((key) => valuesOf(query, key)[0]);
  const set = Object.entries({ event, status, ...periodOf(query) }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(set);
}

/** Deliveries are found by tokens only. */
export function deliveryProblem({ words }: Query): Problem | undefined {
  return words.length > 0 ? { text: 'webhook_deliveries_words', values: {} } : undefined;
}
