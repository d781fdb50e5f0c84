/** Database values for the metrics. */
export interface PulseRepository {
  /** Resolves when the database answers. */
  beat(): Promise<void>;
  /** Number of pending deliveries of all webhooks. */
  waitingDeliveries(): Promise<number>;
}

/** One sealed value and its location. */
export interface SealedValue {
  readonly place: SealedPlace;
  readonly id: number;
  readonly sealed: string;
}

/** Columns with sealed values; the vault names each `table.field`, without `_sealed`. */
export const SEALED_PLACES = [
  'users.totp_secret',
  'servers.password',
  'servers.private_key',
  'servers.passphrase',
  'webhooks.secret',
  'webhooks.previous_secret',
  'part_removals.connection',
  'agent_settings.config',
  'agent_messages.content',
] as const;

export type SealedPlace = (typeof SEALED_PLACES)[number];

export interface SealedRepository {
  /** Values that do not begin with this prefix, from `after_id` on. */
  foreign(place: SealedPlace, prefix: string, after_id: number, limit: number): Promise<SealedValue[]>;
  /** Does nothing when the value has changed. */
  replace(value: SealedValue, sealed: string): Promise<void>;
}
