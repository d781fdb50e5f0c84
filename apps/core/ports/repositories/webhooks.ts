import type { GatewayEvent } from '../../model/event.ts';
import type { DeliveryRow, DeliveryStatus, WebhookRow } from '../../model/webhook.ts';

/** An event, and when it happened. */
export interface FiredEvent {
  readonly event: GatewayEvent;
  readonly fired_at: string;
}

/** The same of a server that gets its id with the same statement. */
export interface ServerFiredEvent {
  readonly event: 'server_added';
  readonly data: { readonly name: string; readonly hostname: string; readonly by: string };
  readonly fired_at: string;
}

export type NewWebhookRow = Omit<WebhookRow, 'id' | 'last_fired_at' | 'last_status'>;

export type WebhookRowPatch = { readonly [K in keyof NewWebhookRow]?: NewWebhookRow[K] | undefined };

export interface WebhookRepository {
  /** By name without regard to case. */
  list(): Promise<WebhookRow[]>;
  byId(id: number): Promise<WebhookRow | undefined>;
  /** `too_many_webhooks` when there are `limit` already. */
  insert(row: NewWebhookRow, limit: number): Promise<WebhookRow>;
  /** Undefined when it is gone, or when its secret is not `secret_before` (undefined: whatever it is). */
  update(
    id: number,
    patch: WebhookRowPatch,
    secret_before?: string | null | undefined,
  ): Promise<WebhookRow | undefined>;
  /** With its deliveries; false when it was gone. */
  remove(id: number): Promise<boolean>;
}

/** A delivery in the hands of this process, and where it goes. */
export interface LeasedDelivery {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
}

/** Whose hands a delivery is in, and at which of its tries. */
export interface DeliveryLease extends Pick<DeliveryRow, 'id' | 'attempts'> {
  readonly holder: string;
}

export interface DeliveryOutcome {
  readonly status: DeliveryStatus;
  /** HTTP status; null without an answer. */
  readonly last_status: number | null;
  readonly last_error: string | null;
  /** So long from now, by the database's clock; null when it is over. */
  readonly next_attempt_in_ms: number | null;
  readonly at: string;
}

export type NewDeliveryRow = Pick<
  DeliveryRow,
  'webhook_id' | 'event' | 'fired_at' | 'subject_id' | 'data' | 'replay_of'
>;

/** So many of one webhook at most. */
export interface DeliveryShare {
  readonly webhook_id: number;
  readonly most: number;
}

/** Of deliveries: the outbox. Leases and due times are by the database's own clock. */
export interface DeliveryRepository {
  /** The newest first. */
  page(webhook_id: number, paging: { limit: number; offset: number }): Promise<DeliveryRow[]>;
  count(webhook_id: number): Promise<number>;
  byId(id: number): Promise<DeliveryRow | undefined>;
  /** One for this webhook alone, due now: a test, or a replay. `webhook_not_found` when it is gone. */
  insert(row: NewDeliveryRow): Promise<DeliveryRow>;
  /** Webhooks with something due that nobody has, those that wait longest first. Switched off, they wait for tests alone. */
  waiting(): Promise<number[]>;
  /** Some of what these wait for, by turns; nobody else takes it for `lease_ms`. */
  take(input: {
    holder: string;
    lease_ms: number;
    limit: number;
    shares: readonly DeliveryShare[];
  }): Promise<LeasedDelivery[]>;
  /** Ends one try and says so at the webhook; false when the lease was somebody else's by then. May be said again. */
  settle(lease: DeliveryLease, outcome: DeliveryOutcome): Promise<boolean>;
  /** Gives back what was not tried. */
  release(id: number, holder: string): Promise<void>;
  /** Milliseconds until something becomes due; undefined: nothing is waiting for its time. */
  nextDue(): Promise<number | undefined>;
  /** Those that began before, a part of them at a time. */
  removeOlder(before: string): Promise<void>;
  /** Of more than `most` that wait at one webhook, the oldest ones fail for this reason. */
  failExcess(most: number, reason: string): Promise<void>;
}
