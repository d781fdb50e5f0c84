/** What monitoring asks of the database. */
export interface PulseRepository {
  /** Resolves when it answers. */
  beat(): Promise<void>;
  /** Of all webhooks. */
  waitingDeliveries(): Promise<number>;
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
  /** Unless it was changed meanwhile. */
  replace(value: SealedValue, sealed: string): Promise<void>;
}
