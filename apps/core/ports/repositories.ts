import type { ApiKeyRow } from '../model/api-key.ts';
import type {
  AuditChainRow,
  AuditFilter,
  AuditRollRow,
  AuditRow,
  NewAuditRow,
  ScannedAuditRow,
} from '../model/audit.ts';
import type { GatewayEvent } from '../model/event.ts';
import type { NewRecordingRow, RecordingFilter, RecordingRow, RecordingStatus } from '../model/recording.ts';
import type { SecondFactorRow } from '../model/second-factor.ts';
import type { AnnouncedHostKey, ServerFilter, ServerRow } from '../model/server.ts';
import type { ServerStatusRow } from '../model/server-status.ts';
import type { SnippetPatch, SnippetRow } from '../model/snippet.ts';
import type { InstanceRow, QuickHostKeyRow, TerminalSessionRow } from '../model/terminal.ts';
import type { TicketRow } from '../model/ticket.ts';
import type { UploadRow } from '../model/upload.ts';
import type { UserRow } from '../model/user.ts';
import type { PendingSignInRow, WebSessionRow } from '../model/web-session.ts';
import type { BackupRepository } from './backup.ts';
import type {
  BrandingRepository,
  DeliveryRepository,
  SampleRepository,
  SealedRepository,
  SettingRepository,
  WebhookRepository,
} from './operations.ts';

/** The groups a caller may see; `all` for administrators. */
export type VisibleGroups = 'all' | readonly string[];

export type NewUserRow = Omit<UserRow, 'id' | 'is_default_admin'>;
type ChangeableField = 'is_admin' | 'must_change_password' | 'disabled' | 'allowed_groups';
export type UserRowPatch = { readonly [K in ChangeableField]?: UserRow[K] | undefined };

/** Of somebody whom a directory has let in for the first time. */
export interface DirectoryAccount {
  /** Of the directory's entry: names change hands. */
  readonly directory_id: string;
  readonly username: string;
  readonly is_admin: boolean;
  readonly allowed_groups: string[];
  readonly created_at: string;
}

export interface UserRepository {
  /** Without regard to case. */
  byName(username: string): Promise<UserRow | undefined>;
  byId(id: number): Promise<UserRow | undefined>;
  /** Ordered by name. */
  list(): Promise<UserRow[]>;
  /** `username_taken` when there is one of that name, without regard to case. */
  insert(row: NewUserRow): Promise<UserRow>;
  /** Inserts the default administrator only while the table is empty, in one statement; undefined when it was not. */
  insertFirst(row: NewUserRow): Promise<UserRow | undefined>;
  /**
   * `protected_account` when it would demote the default administrator, `last_admin` when no enabled administrator
   * would remain, also of two changes at once; undefined when there is no such user.
   */
  update(id: number, patch: UserRowPatch): Promise<UserRow | undefined>;
  /** The same refusals; false when there is no such user. */
  remove(id: number): Promise<boolean>;
  /** Undefined when there is no such user, or when the hash is not `instead_of` any more. */
  setPassword(
    id: number,
    password_hash: string,
    options: { must_change_password: boolean; instead_of?: string | null },
  ): Promise<UserRow | undefined>;
  byDirectoryId(directory_id: string): Promise<UserRow | undefined>;
  /** Undefined when the entry has an account already, or the name belongs to another one. */
  insertFromDirectory(account: DirectoryAccount): Promise<UserRow | undefined>;
  /** False when somebody has the name, or there is no such user. */
  rename(id: number, username: string): Promise<boolean>;
}

/** Each verb is one conditional statement; false means that somebody else was first. */
export interface SecondFactorRepository {
  of(user_id: number): Promise<SecondFactorRow | undefined>;
  /** Starts a set-up; false while the second factor is enabled. */
  begin(user_id: number, totp_secret_sealed: string): Promise<boolean>;
  /** Ends the set-up of exactly this secret. */
  enable(
    user_id: number,
    enrolment: { totp_secret_sealed: string; step: number; recovery_digests: readonly string[] },
  ): Promise<boolean>;
  /** Forgets secret, step and recovery codes. */
  clear(user_id: number): Promise<void>;
  /** Takes a time step, if it is later than the last one that was taken. */
  takeStep(user_id: number, step: number): Promise<boolean>;
  /** Puts `after` in place of `before`. */
  replaceRecovery(user_id: number, before: readonly string[], after: readonly string[]): Promise<boolean>;
}

export interface WebSessionRepository {
  insert(row: WebSessionRow): Promise<void>;
  /** The unexpired session and its enabled user, in one query. */
  active(id: string, now: string): Promise<{ session: WebSessionRow; user: UserRow } | undefined>;
  /** Those of enabled users that nobody has ended, expired or not. */
  standing(ids: readonly string[]): Promise<{ id: string; user: UserRow }[]>;
  /** Unexpired, the last seen first. */
  ofUser(user_id: number, now: string): Promise<WebSessionRow[]>;
  touch(id: string, last_seen_at: string): Promise<void>;
  /** False when the user has no such session. */
  remove(user_id: number, id: string): Promise<boolean>;
  removeOfUser(user_id: number): Promise<void>;
  removeOthers(user_id: number, kept_id: string): Promise<void>;
  /** Those that expired before. */
  removeExpired(before: string): Promise<void>;
}

/** Sign-ins whose password was right and whose second factor is awaited. */
export interface PendingSignInRepository {
  insert(row: PendingSignInRow): Promise<void>;
  /** The enabled user of an unexpired one with tries left. */
  active(id: string, now: string): Promise<UserRow | undefined>;
  /** Counts one try in one statement; false when there is none left. */
  try(id: string, now: string): Promise<boolean>;
  /** False when it was gone already: of two at once, one gets true. */
  take(id: string): Promise<boolean>;
  removeOfUser(user_id: number): Promise<void>;
  removeExpired(now: string): Promise<void>;
}

export interface ApiKeyRepository {
  /** `too_many_keys` when the user has `limit` already. */
  insert(row: Omit<ApiKeyRow, 'id'>, limit: number): Promise<ApiKeyRow>;
  /** The newest first. */
  ofUser(user_id: number): Promise<ApiKeyRow[]>;
  /** The unexpired key and its enabled user, in one query. */
  active(
    key_prefix: string,
    key_digest: string,
    now: string,
  ): Promise<{ key: ApiKeyRow; user: UserRow } | undefined>;
  /** The same by id. */
  activeById(id: number, now: string): Promise<{ key: ApiKeyRow; user: UserRow } | undefined>;
  /** Those of enabled users, unexpired and not revoked. */
  standing(ids: readonly number[], now: string): Promise<{ id: number; user: UserRow }[]>;
  /** Writes only if the last use was written before `unless_since`. */
  touch(id: number, at: string, unless_since: string): Promise<void>;
  /** The key that was removed; undefined when the user has no such key. */
  remove(user_id: number, id: number): Promise<ApiKeyRow | undefined>;
}

/** Failed sign-ins in a row, by user name, whether there is such a user or not. */
export interface LockoutRepository {
  /**
   * Counts one attempt in one statement, unless the name is locked: then `locked_until` is what is in force.
   * `locks[i]` is until when the `first_lock + i`-th attempt in a row locks the name; the last one holds for all further.
   */
  attempt(input: {
    username: string;
    now: string;
    first_lock: number;
    locks: readonly string[];
  }): Promise<{ allowed: boolean; locked_until: string | null }>;
  /** Takes one attempt back, and the lock if it is still the one that this attempt set. */
  undo(username: string, locked_until: string | null): Promise<void>;
  clear(username: string): Promise<void>;
  /** Those that are locked now, by the lower-cased name. */
  locked(now: string): Promise<{ username_key: string; locked_until: string }[]>;
  /** Those whose last attempt and whose lock are over since before. */
  removeStale(before: string): Promise<void>;
}

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

export interface AuditRepository {
  /** Undefined before the first chain. */
  roll(): Promise<AuditRollRow | undefined>;
  /** Stores the chain and the roll together; false when another instance has taken the number. */
  openChain(chain: AuditChainRow, roll: AuditRollRow): Promise<boolean>;
  chain(id: string): Promise<AuditChainRow | undefined>;
  /** By number. */
  chains(): Promise<AuditChainRow[]>;
  /** Stores the entries, the head of their chain and what webhooks are to hear of it together. */
  append(entries: readonly NewAuditRow[], head: AuditChainRow, events?: readonly FiredEvent[]): Promise<void>;
  /** Puts another signature under a head, or the roll, that still says the same; false when it does not. */
  resign(head: AuditChainRow, signature: string): Promise<boolean>;
  resignRoll(roll: AuditRollRow, signature: string): Promise<boolean>;
  /** Entries of one chain by seq, those after `after_seq`. */
  scan(chain_id: string, after_seq: number, limit: number): Promise<ScannedAuditRow[]>;
  /** The id of the first entry that has no chain or no place in it, before its first or behind its head, in one statement. */
  firstStray(): Promise<number | undefined>;
  /** The newest first. */
  page(filter: AuditFilter, paging: { limit: number; offset: number }): Promise<AuditRow[]>;
  /** Not exact: at least as many. A search counts no further than is quick. */
  count(filter: AuditFilter): Promise<{ total: number; exact: boolean }>;
  /** The same order as `page`, those after `after` in it. */
  following(filter: AuditFilter, after: AuditRow | undefined, limit: number): Promise<AuditRow[]>;
}

export interface TicketRepository {
  /** `invalid_token` when the session or key has ended meanwhile. */
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

/** What the monitor found out. A server without a row is unchecked. */
export interface ServerStatusRepository {
  /** Of all servers in the groups, with the group that decides who may see them. */
  list(visible: VisibleGroups): Promise<VisibleStatusRow[]>;
  byServer(server_id: number): Promise<ServerStatusRow | undefined>;
  /** Stores them together under the next revision, leaving out servers that are gone. */
  save(rows: readonly ServerStatusRow[], events?: readonly FiredEvent[]): Promise<void>;
  /** Those stored after a revision, and the last revision there is (0: none yet). */
  since(revision: number): Promise<{ revision: number; rows: VisibleStatusRow[] }>;
  /** Ids of the servers that no check has looked at yet, or not since their address changed. */
  unchecked(): Promise<number[]>;
}

export interface VisibleStatusRow extends ServerStatusRow {
  readonly group: string;
}

/** One row: which instance checks the servers. All times are the database's own. */
export interface MonitorLeaseRepository {
  /** Takes the lease if it is free, expired or ours already; whose it is afterwards, and how long that still lasts. */
  hold(input: {
    run_id: string;
    instance_id: string;
    ttl_ms: number;
  }): Promise<{ is_ours: boolean; expires_in_ms: number }>;
  /** Gives it back, if it is ours. */
  release(run_id: string): Promise<void>;
}

/** Files on their way onto hosts. */
export interface UploadRepository {
  /** `server_not_found` when the server is gone. */
  insert(row: UploadRow): Promise<void>;
  /** Also an expired one; not one that is being cleaned up. */
  find(id: string): Promise<UploadRow | undefined>;
  /** Those of one user that can be resumed and have not expired, oldest first. */
  listOf(user_id: number, server_id: number, now: string): Promise<UploadRow[]>;
  /** How many of one user can be resumed and have not expired. */
  countOf(user_id: number, now: string): Promise<number>;
  /** False when it is gone or being cleaned up. */
  extend(id: string, expires_at: string): Promise<boolean>;
  remove(id: string): Promise<void>;
  /**
   * Expired ones, of one server or of all, at most `limit`; from now on they are being cleaned up, and until `again_at`
   * nobody else takes them.
   */
  takeExpired(input: {
    now: string;
    again_at: string;
    limit: number;
    server_id?: number | undefined;
  }): Promise<UploadRow[]>;
}

/** Who may write just now, among all instances. All times are the database's own. */
export interface HoldRepository {
  /** Takes the key if it is free, expired or held by this holder already; whether it did. */
  take(key: string, holder: string, ttl_ms: number): Promise<boolean>;
  /** If it is this holder's. */
  release(key: string, holder: string): Promise<void>;
  removeExpired(): Promise<void>;
}

/** Gateways that share this database. All times are the database's own. */
export interface InstanceRepository {
  /** Says that it runs, for `ttl_ms` from now. */
  beat(instance: InstanceRow, ttl_ms: number): Promise<void>;
  /** Forgets other runs under this address of this machine: whoever listens there now is the only one. */
  supersede(instance: InstanceRow): Promise<void>;
  remove(run_id: string): Promise<void>;
  removeExpired(): Promise<void>;
  /** Those that run now. */
  running(): Promise<Pick<InstanceRow, 'instance_id' | 'machine'>[]>;
}

/** Where a session is held. */
export type SessionHome = Pick<InstanceRow, 'run_id' | 'url' | 'proof'>;

/** Sessions of instances that run; those of others count for nothing. */
export interface TerminalSessionRepository {
  /** `too_many_sessions` when the user has `limit` already, also of several at once; undefined: no limit. */
  insert(row: TerminalSessionRow, limit: number | undefined): Promise<void>;
  /** The shell is there. */
  begin(id: string, begun: { started_at: string; recording: boolean }): Promise<void>;
  /** What has changed of them; those that others have cleared away meanwhile are put back. */
  refresh(rows: readonly TerminalSessionRow[]): Promise<void>;
  setShare(id: string, share_digest: string | null): Promise<void>;
  /** Its shell is over: it has its home still, and counts no more. */
  finish(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Whose shell is there, the newest first; of one user or of all. */
  list(user_id: number | undefined): Promise<TerminalSessionRow[]>;
  home(id: string): Promise<SessionHome | undefined>;
  homeOfShare(share_digest: string): Promise<SessionHome | undefined>;
  /** Those whose instance is gone. */
  removeOrphans(): Promise<void>;
}

export interface RecordingEnd {
  readonly ended_at: string;
  readonly duration_s: number;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly status: Exclude<RecordingStatus, 'recording'>;
}

/** `user_id` undefined: of all users. */
export interface RecordingRepository {
  insert(row: NewRecordingRow): Promise<RecordingRow>;
  /** False when it was closed already, or is gone; `finished` also closes what was taken for interrupted. */
  close(id: number, end: RecordingEnd): Promise<boolean>;
  byId(id: number): Promise<RecordingRow | undefined>;
  /** The newest first. */
  page(
    filter: RecordingFilter & { readonly user_id: number | undefined },
    paging: { limit: number; offset: number },
  ): Promise<RecordingRow[]>;
  count(filter: RecordingFilter & { readonly user_id: number | undefined }): Promise<number>;
  /** False when it was gone. */
  remove(id: number): Promise<boolean>;
  /** Open ones whose instance does not run any more, at most `limit`. */
  orphans(limit: number): Promise<RecordingRow[]>;
}

export interface SnippetRepository {
  /** Own and shared ones, by name without regard to case. */
  visibleTo(user_id: number): Promise<SnippetRow[]>;
  byId(id: number): Promise<SnippetRow | undefined>;
  /** `too_many_snippets` when the user has `limit` already. */
  insert(row: Omit<SnippetRow, 'id'>, limit: number): Promise<SnippetRow>;
  update(id: number, patch: SnippetPatch): Promise<SnippetRow | undefined>;
  /** False when it was gone. */
  remove(id: number): Promise<boolean>;
}

/** Trust on first use, for each user and address (quick connect). */
export interface QuickHostKeyRepository {
  find(address: Pick<QuickHostKeyRow, 'user_id' | 'hostname' | 'port'>): Promise<QuickHostKeyRow | undefined>;
  /** Pins if nothing is pinned; the row in force afterwards. */
  pin(row: Omit<QuickHostKeyRow, 'id'>): Promise<QuickHostKeyRow>;
  /** By host name and port. */
  ofUser(user_id: number): Promise<QuickHostKeyRow[]>;
  /** What was removed; undefined when the user has no such pin. */
  remove(user_id: number, id: number): Promise<QuickHostKeyRow | undefined>;
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
    /** A window that ends later was begun before the clock was set back: it is over. */
    latest_end: string;
  }): Promise<{ count: number; window_ends_at: string }>;
  removeExpired(now: string): Promise<void>;
}

/** Each verb throws `database_unavailable` when the database does not answer; a write may then have happened. */
/** What monitoring asks of the database. */
export interface PulseRepository {
  /** Resolves when it answers. */
  beat(): Promise<void>;
  /** Of all webhooks. */
  waitingDeliveries(): Promise<number>;
}

export interface Repositories {
  readonly users: UserRepository;
  readonly second_factors: SecondFactorRepository;
  readonly web_sessions: WebSessionRepository;
  readonly pending_sign_ins: PendingSignInRepository;
  readonly api_keys: ApiKeyRepository;
  readonly lockouts: LockoutRepository;
  readonly audit: AuditRepository;
  readonly tickets: TicketRepository;
  readonly servers: ServerRepository;
  readonly server_statuses: ServerStatusRepository;
  readonly monitor_lease: MonitorLeaseRepository;
  readonly rate_limits: RateLimitRepository;
  readonly uploads: UploadRepository;
  readonly holds: HoldRepository;
  readonly instances: InstanceRepository;
  readonly terminal_sessions: TerminalSessionRepository;
  readonly recordings: RecordingRepository;
  readonly snippets: SnippetRepository;
  readonly quick_host_keys: QuickHostKeyRepository;
  readonly webhooks: WebhookRepository;
  readonly deliveries: DeliveryRepository;
  readonly settings: SettingRepository;
  readonly branding: BrandingRepository;
  readonly samples: SampleRepository;
  readonly sealed: SealedRepository;
  readonly backups: BackupRepository;
  readonly pulse: PulseRepository;
}
