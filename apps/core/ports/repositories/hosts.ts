import type { AnnouncedHostKey, ServerFilter, ServerRow } from '../../model/server.ts';
import type { FiredEvent, ServerFiredEvent } from './webhooks.ts';

/** The groups a caller may see; `all` for administrators. */
export type VisibleGroups = 'all' | readonly string[];

export type NewServerRow = Omit<ServerRow, 'id'>;

export type ServerRowPatch = { readonly [K in keyof NewServerRow]?: NewServerRow[K] | undefined };

export interface ServerRepository {
  /** Ordered by name; `search` matches name, hostname and description without regard to case. */
  list(visible: VisibleGroups, filter: ServerFilter): Promise<ServerRow[]>;
  byId(id: number): Promise<ServerRow | undefined>;
  byIds(ids: readonly number[]): Promise<ServerRow[]>;
  /** `jump_host_unknown` when there is no such jump host; nothing jumps via a new row yet, so no circle can close. */
  insert(row: NewServerRow, event?: ServerFiredEvent): Promise<ServerRow>;
  /** All of them or none, in one transaction; in the order given. `jump_host_unknown` as above. */
  insertAll(
    rows: readonly ImportedServerRow[],
    eventOf?: (row: ImportedServerRow) => ServerFiredEvent,
  ): Promise<ServerRow[]>;
  /**
   * The same, and `jump_cycle` when the jump host leads back to this row, `jump_too_deep` when some server would then
   * lie behind more than `most_hops` jump hosts; also of two changes at once.
   */
  update(id: number, patch: ServerRowPatch, most_hops: number): Promise<ServerRow | undefined>;
  /** The event is stored with it, if it was there. */
  remove(id: number, event?: FiredEvent): Promise<boolean>;
  /** Distinct, ordered, without the empty group. */
  groups(visible: VisibleGroups): Promise<string[]>;
  /** The servers that name this one as their jump host. */
  jumpingVia(id: number): Promise<ServerRow[]>;
  /** Pins if nothing is pinned and the address is still the one that was dialled; the pin in force afterwards. */
  pinHostKey(pin: HostKeyPin): Promise<string | null>;
  /** Forgets the pin and the announced keys; `updated_at` becomes `at`. */
  clearHostKey(id: number, at: string): Promise<void>;
  /** Pin and announced keys at once, if the pin is still `instead_of` and the address that of the host; else false. */
  replaceHostKeys(input: {
    server_id: number;
    hostname: string;
    port: number;
    instead_of: string | null;
    host_key: string;
    fingerprint: string;
    announced_host_keys: readonly AnnouncedHostKey[];
  }): Promise<boolean>;
  touchConnected(id: number, at: string): Promise<void>;
}

/** A new server whose jump host may be another one of the same list. */
export interface ImportedServerRow extends NewServerRow {
  /** Index in the list; undefined: `jump_via_id` stands. */
  readonly jump_via_index: number | undefined;
}

export interface HostKeyPin {
  readonly server_id: number;
  readonly hostname: string;
  readonly port: number;
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  readonly fingerprint: string;
}
