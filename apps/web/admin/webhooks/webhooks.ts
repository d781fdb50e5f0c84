import { keepPreviousData, queryOptions } from '@tanstack/solid-query';
import { type GatewayClient, type Schemas, take } from '#client/client.ts';
import type { paths } from '#client/schema.gen.ts';

export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
type Events = NonNullable<Schemas['WebhookInput']['events']>;

export const WEBHOOKS_KEY = ['webhooks'] as const;
export const DELIVERIES_PAGE = 25;
const POLL_MS = 1000; // while a delivery is in progress
const SLOW_POLL_MS = 10_000; // while the next attempt is not due yet

export function webhooksQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: WEBHOOKS_KEY,
    queryFn: () => take(client.http.GET('/api/webhooks')),
    refetchInterval: SLOW_POLL_MS, // when each has last fired
    reconcile: 'id',
  });
}

export function eventKindsQuery(client: GatewayClient) {
  return queryOptions({
    queryKey: ['webhook_events'],
    queryFn: () => take(client.http.GET('/api/webhooks/events')),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Which deliveries to list. */
export type DeliveryConditions = Pick<
  NonNullable<paths['/api/webhooks/{id}/deliveries']['get']['parameters']['query']>,
  'event' | 'status' | 'since' | 'until'
>;

interface DeliveryPage {
  readonly webhook_id: number;
  readonly page: number;
  readonly conditions?: DeliveryConditions;
}

export function deliveriesQuery(client: GatewayClient, { webhook_id, page, conditions }: DeliveryPage) {
  const query = { ...conditions, limit: DELIVERIES_PAGE, offset: page * DELIVERIES_PAGE };
  const params = { path: { id: webhook_id }, query };
  return queryOptions({
    queryKey: ['deliveries', webhook_id, query],
    queryFn: async ({ signal }) => {
      const answer = await client.http.GET('/api/webhooks/{id}/deliveries', { params, signal });
      const total = Number(answer.response.headers.get('X-Total-Count') ?? 0);
      return { page, deliveries: answer.data ?? [], total };
    },
    refetchInterval: ({ state }) => pollInterval(state.data?.deliveries ?? [], Date.now()),
    placeholderData: keepPreviousData,
    reconcile: 'id',
  });
}

/** The polling interval for these deliveries; false once all are finished. */
export function pollInterval(
  deliveries: readonly Pick<Delivery, 'status' | 'next_attempt_at'>[],
  now_ms: number,
): number | false {
  const pending = deliveries.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return false;
  const is_soon = ({ next_attempt_at }: Pick<Delivery, 'next_attempt_at'>) =>
    next_attempt_at === null || Date.parse(next_attempt_at) - now_ms < SLOW_POLL_MS;
  return pending.some(is_soon) ? POLL_MS : SLOW_POLL_MS;
}

/** The newest test delivery after `after_id`. */
export function testOf(deliveries: readonly Delivery[], after_id: number): Delivery | undefined {
  return deliveries.find(({ event, id }) => event === 'test' && id > after_id);
}

/** The host alone: a path may contain a secret. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

export type LastState = 'never' | 'good' | 'refused' | 'unanswered';

export function lastStateOf({
  last_fired_at,
  last_status,
}: Pick<Webhook, 'last_fired_at' | 'last_status'>): LastState {
  if (last_fired_at === null) return 'never';
  if (last_status === null) return 'unanswered';
  return last_status >= 200 && last_status < 300 ? 'good' : 'refused';
}

/** The webhook form; an empty secret means unchanged. */
export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly all_events: boolean;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly secret: string;
  readonly forget_secret: boolean;
}

export function draftOf(webhook: Webhook | undefined): WebhookDraft {
  const { name = '', url = '', events = ['*'], enabled = true } = webhook ?? {};
  const all_events = events.includes('*');
  return {
    name,
    url,
    all_events,
    events: all_events ? [] : [...events],
    enabled,
    secret: '',
    forget_secret: false,
  };
}

/** An absent secret is left unchanged; an empty one clears it. */
export function patchOf(draft: WebhookDraft) {
  const { name, url, all_events, events, enabled, secret, forget_secret } = draft;
  const changed = forget_secret ? '' : secret;
  return {
    name: name.trim(),
    url: url.trim(),
    events: all_events ? (['*'] as Events) : asEvents(events),
    enabled,
    ...(forget_secret || secret !== '' ? { secret: changed } : {}),
  };
}

/** Always valid: from the gateway's list of events, or from the stored webhook. */
function asEvents(events: readonly string[]): Events {
  return [...events] as Events;
}

export async function saveWebhook(
  client: GatewayClient,
  before: Pick<Webhook, 'id'> | undefined,
  draft: WebhookDraft,
): Promise<void> {
  const patch = patchOf(draft);
  if (!before) {
    await client.http.POST('/api/webhooks', { body: { ...patch, secret: draft.secret } });
    return;
  }
  await client.http.PUT('/api/webhooks/{id}', { params: { path: { id: before.id } }, body: patch });
}

export async function switchWebhook(client: GatewayClient, { id }: Webhook, enabled: boolean): Promise<void> {
  await client.http.PUT('/api/webhooks/{id}', { params: { path: { id } }, body: { enabled } });
}

export async function removeWebhook(client: GatewayClient, { id }: Webhook): Promise<void> {
  await client.http.DELETE('/api/webhooks/{id}', { params: { path: { id } } });
}

export async function testWebhook(client: GatewayClient, { id }: Webhook): Promise<void> {
  await client.http.POST('/api/webhooks/{id}/test', { params: { path: { id } } });
}

export async function replayDelivery(client: GatewayClient, { id }: Delivery): Promise<void> {
  await client.http.POST('/api/webhooks/deliveries/{id}/replay', { params: { path: { id } } });
}

const SECRET_BYTES = 32;

/** 256 bits, like the HMAC, in hexadecimal, which any receiver's configuration accepts. */
export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
