import type { ReserveIds } from '../../lib/id-pool.ts';
import type { HopConnection } from '../../model/hosts/hop-connection.ts';
import type { LeftPart, PartRemovalRow } from '../../model/hosts/part-removal.ts';
import type { RevokedHostKeyRow } from '../../model/hosts/revoked-host-key.ts';
import type { AnnouncedHostKey, LastConnection, ServerRow } from '../../model/hosts/server.ts';
import type { FiredEvent, ServerFiredEvent } from './webhooks.ts';

/** The groups a caller may see; `all` for administrators. */
export type VisibleGroups = 'all' | readonly string[];

/** Has the reserved id that its sealed credentials name; without credentials, the database may choose one. */
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
   * Throws `jump_host_unknown`, `jump_cycle` when the jump host leads back to this row, `jump_too_deep` when a
   * server would be behind more than `most_hops` jump hosts, and `server_changed` when the row is no longer as it was
   * checked; also under concurrent changes.
   */
  update(
    id: number,
    patch: ServerRowPatch,
    conditions: { readonly most_hops: number; readonly checked?: CheckedServer | undefined },
  ): Promise<ServerRow | undefined>;
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
  /** Deletes the pin, the announced keys and what is known of the last connection, and sets `updated_at`; false unless the row is still as it was checked. */
  clearHostKey(id: number, at: string, checked: CheckedServer): Promise<boolean>;
  /**
   * Replaces the pin and the announced keys, and with `at` forgets the last connection; false unless the pin is still `instead_of`, the address unchanged, and the row
   * still as it was checked.
   */
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
    checked?: CheckedServer;
  }): Promise<boolean>;
  /** Stores how the host was connected to, if the row is still of this revision and says otherwise. */
  noteConnection(
    server: Pick<ServerRow, 'id' | 'updated_at'>,
    last: Pick<HopConnection, keyof LastConnection>,
  ): Promise<void>;
  /** Sets `updated_at`, which ends transfers and pooled connections on every instance. */
  markChanged(ids: readonly number[], at: string): Promise<void>;
  /** The server as it is now; undefined when it was deleted. */
  touchConnected(id: number, at: string): Promise<ServerRow | undefined>;
}

/** What decided that a change may be made. The change is made only while all of it is still true. */
export interface CheckedServer
  extends Pick<
    ServerRow,
    'hostname' | 'port' | 'jump_via_id' | 'password_sealed' | 'private_key_sealed' | 'passphrase_sealed'
  > {
  /** No server behind this one has a stored credential: none at all, or none without a pinned host key. */
  readonly nothing_behind: 'any' | 'unpinned' | undefined;
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

export interface RevokedHostKeyRepository {
  /** By id. */
  list(): Promise<RevokedHostKeyRow[]>;
  /** All with this key, whatever the host. */
  ofKey(fingerprint: string): Promise<RevokedHostKeyRow[]>;
  /** Ignores those that are stored already; returns how many are new. */
  insertAll(rows: readonly Omit<RevokedHostKeyRow, 'id'>[]): Promise<number>;
  remove(id: number): Promise<RevokedHostKeyRow | undefined>;
}
