import type { ReserveIds } from '../../lib/id-pool.ts';
import type { GatewayEvent } from '../../model/webhooks/event.ts';
import type {
  DeliveryFilter,
  DeliveryRow,
  DeliveryStatus,
  WebhookRow,
} from '../../model/webhooks/webhook.ts';

/** An event and the time it happened. */
export interface FiredEvent {
  readonly event: GatewayEvent;
  readonly fired_at: string;
}

/** An event about a server whose id is assigned by the same statement. */
export interface ServerFiredEvent {
  readonly event: 'server_added';
  readonly data: { readonly name: string; readonly hostname: string; readonly by: string };
  readonly fired_at: string;
}

type Fields = Omit<WebhookRow, 'id' | 'last_fired_at' | 'last_status'>;

/** Has the reserved id that its sealed secret names; without a secret, the database may choose one. */
export type NewWebhookRow = Fields & { readonly id?: number };

export type WebhookRowPatch = { readonly [K in keyof Fields]?: Fields[K] | undefined };

export interface WebhookRepository {
  /** Ordered by name, ignoring case. */
  list(): Promise<WebhookRow[]>;
  byId(id: number): Promise<WebhookRow | undefined>;
  /** Throws `too_many_webhooks` when `limit` webhooks exist. */
  /** Ids for new rows, which no other row gets. */
  reserveIds: ReserveIds;
  insert(row: NewWebhookRow, limit: number): Promise<WebhookRow>;
  /** Undefined when it is gone or its secret is not `secret_before` (undefined skips that check). */
  update(
    id: number,
    patch: WebhookRowPatch,
    secret_before?: string | null | undefined,
  ): Promise<WebhookRow | undefined>;
  /** Removes its deliveries too; false when it does not exist. */
  remove(id: number): Promise<boolean>;
}

/** A delivery leased by this process, and its webhook. */
export interface LeasedDelivery {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
}

/** The holder of a delivery and the attempt it is at. */
export interface DeliveryLease extends Pick<DeliveryRow, 'id' | 'attempts'> {
  readonly holder: string;
}

export interface DeliveryOutcome {
  readonly status: DeliveryStatus;
  /** HTTP status; null without a response. */
  readonly last_status: number | null;
  readonly last_error: string | null;
  /** Delay from now, by the database's clock; null when there is no further attempt. */
  readonly next_attempt_in_ms: number | null;
  readonly at: string;
}

export type NewDeliveryRow = Pick<
  DeliveryRow,
  'webhook_id' | 'event' | 'fired_at' | 'subject_id' | 'data' | 'replay_of'
>;

/** The most deliveries to take for one webhook. */
export interface DeliveryShare {
  readonly webhook_id: number;
  readonly most: number;
}

/** The outbox. Leases and due times use the database's clock. */
export interface DeliveryRepository {
  /** Newest first. */
  page(
    webhook_id: number,
    paging: { limit: number; offset: number },
    filter?: DeliveryFilter,
  ): Promise<DeliveryRow[]>;
  count(webhook_id: number, filter?: DeliveryFilter): Promise<number>;
  byId(id: number): Promise<DeliveryRow | undefined>;
  /** Inserts a test or a replay for one webhook, due now. Throws `webhook_not_found` when it is gone. */
  insert(row: NewDeliveryRow): Promise<DeliveryRow>;
  /** Webhooks with unleased due deliveries, longest waiting first. Disabled webhooks only count tests. */
  waiting(): Promise<number[]>;
  /** Leases due deliveries of these webhooks, round-robin, for `lease_ms`. */
  take(input: {
    holder: string;
    lease_ms: number;
    limit: number;
    shares: readonly DeliveryShare[];
  }): Promise<LeasedDelivery[]>;
  /** Records the outcome of an attempt; false when the lease was lost. Idempotent. */
  settle(lease: DeliveryLease, outcome: DeliveryOutcome): Promise<boolean>;
  /** Releases a delivery that was not attempted. */
  release(id: number, holder: string): Promise<void>;
  /** Milliseconds until the next delivery is due; undefined when none is scheduled. */
  nextDue(): Promise<number | undefined>;
  /** Removes deliveries that began before this time, in batches. */
  removeOlder(before: string): Promise<void>;
  /** Fails the oldest pending deliveries of each webhook beyond `most`, with this reason. */
  failExcess(most: number, reason: string): Promise<void>;
}
