import type { ReserveIds } from '../../lib/id-pool.ts';
import type { LeftPart, PartRemovalRow } from '../../model/part-removal.ts';
import type { AnnouncedHostKey, ServerRow } from '../../model/server.ts';
import type { FiredEvent, ServerFiredEvent } from './webhooks.ts';

/** The groups a caller may see; `all` for administrators. */
export type VisibleGroups = 'all' | readonly string[];

/** With the reserved id that its sealed credentials name; without credentials, the database may choose one. */
export type NewServerRow = Omit<ServerRow, 'id'> & { readonly id?: number };

export type ServerRowPatch = {
  readonly [K in keyof Omit<ServerRow, 'id'>]?: ServerRow[K] | undefined;
};

export interface ServerRepository {
  /** Ordered by name. */
  list(): Promise<ServerRow[]>;
  /** Equal marks mean that nobody has changed a server in between. */
  mark(): Promise<string>;
  /** By id, what differs whenever the server does; all of it belongs to `mark`. */
  versions(): Promise<{ readonly mark: string; readonly versions: ReadonlyMap<number, string> }>;
  byId(id: number): Promise<ServerRow | undefined>;
  byIds(ids: readonly number[]): Promise<ServerRow[]>;
  /** Ids for new rows, which no other row gets. */
  reserveIds: ReserveIds;
  /** Throws `jump_host_unknown`. Nothing jumps via a new row yet, so it cannot close a cycle. */
  insert(row: NewServerRow, event?: ServerFiredEvent): Promise<ServerRow>;
  /** Inserts all or none, in the given order. Throws `jump_host_unknown`. */
  insertAll(
    rows: readonly ImportedServerRow[],
    eventOf?: (row: ImportedServerRow) => ServerFiredEvent,
  ): Promise<ServerRow[]>;
  /**
   * Throws `jump_host_unknown`, `jump_cycle` when the jump host leads back to this row, and `jump_too_deep` when a
   * server would be behind more than `most_hops` jump hosts; also under concurrent changes.
   */
  update(id: number, patch: ServerRowPatch, most_hops: number): Promise<ServerRow | undefined>;
  /**
   * Stores the event in the same transaction, if the server existed, and with `kept` a removal of the part files of its
   * unfinished uploads, if it has any.
   */
  remove(id: number, event?: FiredEvent, kept?: KeptConnection): Promise<boolean>;
  /** Distinct and ordered, without the empty group. */
  groups(visible: VisibleGroups): Promise<string[]>;
  /** The servers that use this one as their jump host. */
  jumpingVia(id: number): Promise<ServerRow[]>;
  /** Pins if nothing is pinned and the address is still the dialled one. Returns the pin in force. */
  pinHostKey(pin: HostKeyPin): Promise<string | null>;
  /** Deletes the pin and the announced keys and sets `updated_at`. */
  clearHostKey(id: number, at: string): Promise<void>;
  /** Replaces the pin and the announced keys; false unless the pin is still `instead_of` and the address unchanged. */
  replaceHostKeys(input: {
    server_id: number;
    hostname: string;
    port: number;
    instead_of: string | null;
    host_key: string;
    fingerprint: string;
    announced_host_keys: readonly AnnouncedHostKey[];
    /** Also sets `updated_at`, which stops connections that are being opened. */
    at?: string;
  }): Promise<boolean>;
  /** The server as it is now; undefined when it was deleted. */
  touchConnected(id: number, at: string): Promise<ServerRow | undefined>;
}

/** A new server whose jump host may be another server of the same list. */
export interface ImportedServerRow extends NewServerRow {
  /** Index in the list; undefined to use `jump_via_id`. */
  readonly jump_via_index: number | undefined;
}

/** How a deleted server is reached, and when for the first time. */
export type KeptConnection = Pick<PartRemovalRow, 'connection_sealed' | 'created_at' | 'next_at'>;

/** Part files of uploads to deleted servers. */
export interface PartRemovalRepository {
  byServer(server_id: number): Promise<PartRemovalRow | undefined>;
  /** Returns at most `limit` removals that are due. Nobody else takes them before `again_at`. */
  takeDue(input: { now: string; again_at: string; limit: number }): Promise<PartRemovalRow[]>;
  /** False when it has ended. */
  postpone(server_id: number, next: Pick<PartRemovalRow, 'failures' | 'next_at'>): Promise<boolean>;
  parts(server_id: number): Promise<LeftPart[]>;
  removePart(id: string): Promise<void>;
  /** Forgets the connection and the parts that are left; false when it had ended. */
  end(server_id: number): Promise<boolean>;
}

export interface HostKeyPin {
  readonly server_id: number;
  readonly hostname: string;
  readonly port: number;
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  readonly fingerprint: string;
}
