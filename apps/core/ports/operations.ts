import type { BrandingImageName, BrandingImageRow, BrandingRow } from '../model/branding.ts';
import type { SampleName, SampleRow } from '../model/overview.ts';
import type { SettingKey, SettingValue } from '../model/setting.ts';
import type { DeliveryRow, DeliveryStatus, WebhookRow } from '../model/webhook.ts';

export type NewWebhookRow = Omit<WebhookRow, 'id' | 'last_fired_at' | 'last_status'>;
export type WebhookRowPatch = { readonly [K in keyof NewWebhookRow]?: NewWebhookRow[K] | undefined };

export interface WebhookRepository {
  /** By name without regard to case. */
  list(): Promise<WebhookRow[]>;
  byId(id: number): Promise<WebhookRow | undefined>;
  /** `too_many_webhooks` when there are `limit` already. */
  insert(row: NewWebhookRow, limit: number): Promise<WebhookRow>;
  update(id: number, patch: WebhookRowPatch): Promise<WebhookRow | undefined>;
  /** With its deliveries; false when it was gone. */
  remove(id: number): Promise<boolean>;
}

/** A delivery in the hands of this process, and where it goes. */
export interface LeasedDelivery {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
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

/** Of deliveries: the outbox. Leases and due times are by the database's own clock. */
export interface DeliveryRepository {
  /** The newest first. */
  page(webhook_id: number, paging: { limit: number; offset: number }): Promise<DeliveryRow[]>;
  count(webhook_id: number): Promise<number>;
  byId(id: number): Promise<DeliveryRow | undefined>;
  /** One for this webhook alone: a test, or a replay. */
  insert(row: Omit<DeliveryRow, 'id'>): Promise<DeliveryRow>;
  /**
   * Those that are due and that nobody else has: at most `limit`, at most `each` of one webhook, none of the webhooks in
   * `busy`, of enabled ones; nobody else takes them for `lease_ms`.
   */
  take(input: {
    holder: string;
    lease_ms: number;
    limit: number;
    each: number;
    busy: readonly number[];
  }): Promise<LeasedDelivery[]>;
  /** Ends one try and says so at the webhook; false when the lease was somebody else's by then. */
  settle(id: number, holder: string, outcome: DeliveryOutcome): Promise<boolean>;
  /** Milliseconds until something is due that is not in anybody's hands; undefined: nothing is waiting. */
  nextDue(): Promise<number | undefined>;
  /** Those that began before. */
  removeOlder(before: string): Promise<void>;
}

export interface SettingRow {
  readonly key: SettingKey;
  readonly value: SettingValue;
}

export interface SettingRepository {
  all(): Promise<SettingRow[]>;
  /** Together. */
  save(rows: readonly SettingRow[], at: string): Promise<void>;
  remove(keys: readonly SettingKey[]): Promise<void>;
}

/** An image that takes the place of what is there; null: none. */
export type BrandingImageChange = Omit<BrandingImageRow, 'name'> | null;

export interface BrandingRepository {
  get(): Promise<BrandingRow | undefined>;
  /** Name and digest of each image that there is. */
  images(): Promise<Pick<BrandingImageRow, 'name' | 'digest'>[]>;
  image(name: BrandingImageName): Promise<BrandingImageRow | undefined>;
  /** Texts, colours and images together; what is absent stays. */
  save(
    row: BrandingRow,
    images: { readonly [K in BrandingImageName]?: BrandingImageChange | undefined },
    at: string,
  ): Promise<void>;
  clear(): Promise<void>;
}

export interface SampleRepository {
  /** Puts gauges in their place and adds to counters, together. */
  record(
    at: string,
    input: {
      readonly set: Partial<Record<SampleName, number>>;
      readonly add: Partial<Record<SampleName, number>>;
    },
  ): Promise<void>;
  since(at: string): Promise<SampleRow[]>;
  removeOlder(before: string): Promise<void>;
}

/** One sealed value, wherever it is kept. */
export interface SealedValue {
  readonly place: SealedPlace;
  readonly id: number;
  readonly sealed: string;
}

/** Where sealed values are; the vault's purpose of each is `table.field` without `_sealed`. */
export const SEALED_PLACES = [
  'users.totp_secret',
  'servers.password',
  'servers.private_key',
  'servers.passphrase',
  'webhooks.secret',
  'webhooks.previous_secret',
] as const;
export type SealedPlace = (typeof SEALED_PLACES)[number];

export interface SealedRepository {
  /** Those that are not sealed under this key id, from `after_id` on. */
  foreign(place: SealedPlace, key_id: string, after_id: number, limit: number): Promise<SealedValue[]>;
  /** False when it was changed meanwhile. */
  replace(value: SealedValue, sealed: string): Promise<boolean>;
}
