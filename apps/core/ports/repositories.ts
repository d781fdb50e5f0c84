import type { ServerFilter, ServerRow } from '../model/server.ts';
import type { TicketRow } from '../model/ticket.ts';
import type { UserRow } from '../model/user.ts';
import type { WebSessionRow } from '../model/web-session.ts';

/** The groups a caller may see; `all` for administrators. */
export type VisibleGroups = 'all' | readonly string[];

export type NewUserRow = Omit<UserRow, 'id'>;

export interface UserRepository {
  /** Without regard to case. */
  byName(username: string): Promise<UserRow | undefined>;
  byId(id: number): Promise<UserRow | undefined>;
  /** Inserts only while the table is empty, in one statement; undefined when it was not. */
  insertFirst(row: NewUserRow): Promise<UserRow | undefined>;
  setPassword(id: number, password_hash: string, must_change_password: boolean): Promise<UserRow>;
}

export interface WebSessionRepository {
  insert(row: WebSessionRow): Promise<void>;
  /** The unexpired session and its enabled user, in one query. */
  active(id: string, now: string): Promise<{ session: WebSessionRow; user: UserRow } | undefined>;
  touch(id: string, last_seen_at: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes the user's other sessions; the ids that were removed. */
  removeOthers(user_id: number, kept_id: string): Promise<string[]>;
  removeExpired(now: string): Promise<void>;
}

export interface TicketRepository {
  /** `invalid_token` when the session has ended meanwhile. */
  insert(row: TicketRow): Promise<void>;
  /** Removes and returns an unexpired ticket in one statement: of two at once, one gets it. */
  take(digest: string, now: string): Promise<TicketRow | undefined>;
  find(digest: string, now: string): Promise<TicketRow | undefined>;
  removeExpired(now: string): Promise<void>;
}

export type NewServerRow = Omit<ServerRow, 'id'>;
export type ServerRowPatch = { readonly [K in keyof NewServerRow]?: NewServerRow[K] | undefined };

export interface ServerRepository {
  /** Ordered by name; `search` matches name, hostname and description without regard to case. */
  list(visible: VisibleGroups, filter: ServerFilter): Promise<ServerRow[]>;
  byId(id: number): Promise<ServerRow | undefined>;
  /** `jump_host_unknown` when there is no such jump host; nothing jumps via a new row yet, so no circle can close. */
  insert(row: NewServerRow): Promise<ServerRow>;
  /** The same, and `jump_cycle` when the jump host leads back to this row, also of two changes at once. */
  update(id: number, patch: ServerRowPatch): Promise<ServerRow | undefined>;
  remove(id: number): Promise<boolean>;
  /** Distinct, ordered, without the empty group. */
  groups(visible: VisibleGroups): Promise<string[]>;
  /** The servers that name this one as their jump host. */
  jumpingVia(id: number): Promise<ServerRow[]>;
  /** Pins if nothing is pinned and the address is still the one that was dialled; the pin in force afterwards. */
  pinHostKey(pin: HostKeyPin): Promise<string | null>;
  clearHostKey(id: number): Promise<void>;
  touchConnected(id: number, at: string): Promise<void>;
}

export interface HostKeyPin {
  readonly server_id: number;
  readonly hostname: string;
  readonly port: number;
  /** Base64 of the key blob (RFC 4253 §6.6). */
  readonly host_key: string;
  readonly fingerprint: string;
}

export interface RateLimitRepository {
  /** Counts one hit in a fixed window, in one statement; the count and when the window ends. */
  hit(input: {
    key: string;
    now: string;
    window_ends_at: string;
  }): Promise<{ count: number; window_ends_at: string }>;
  removeExpired(now: string): Promise<void>;
}

/** Each verb throws `database_unavailable` when the database does not answer; a write may then have happened. */
export interface Repositories {
  readonly users: UserRepository;
  readonly web_sessions: WebSessionRepository;
  readonly tickets: TicketRepository;
  readonly servers: ServerRepository;
  readonly rate_limits: RateLimitRepository;
}
