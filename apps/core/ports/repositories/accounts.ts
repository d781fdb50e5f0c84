import type { ApiKeyRow } from '../../model/accounts/api-key.ts';
import type { ExternalSource } from '../../model/accounts/external-identity.ts';
import type { SecondFactorRow } from '../../model/accounts/second-factor.ts';
import type { TicketRow } from '../../model/accounts/ticket.ts';
import type { UserRow } from '../../model/accounts/user.ts';
import type { PendingSignInRow, WebSessionRow } from '../../model/accounts/web-session.ts';

export type NewUserRow = Omit<UserRow, 'id' | 'is_default_admin'>;

type ChangeableField = 'is_admin' | 'must_change_password' | 'disabled' | 'allowed_groups';

export type UserRowPatch = { readonly [K in ChangeableField]?: UserRow[K] | undefined };

/** A user with what only the list of users has. */
export interface ListedUserRow extends UserRow {
  readonly last_sign_in_at: string | null;
}

/** A new account for a first sign-in through an external source. */
export interface ExternalAccount {
  readonly subject: string;
  readonly username: string;
  readonly is_admin: boolean;
  readonly allowed_groups: string[];
  readonly created_at: string;
}

export interface UserRepository {
  /** Ignores case. */
  byName(username: string): Promise<UserRow | undefined>;
  byId(id: number): Promise<UserRow | undefined>;
  /** By name; all of them without `paging`. */
  list(paging?: { limit: number; offset: number }): Promise<ListedUserRow[]>;
  count(): Promise<number>;
  /** Throws `username_taken` when the name exists, ignoring case. */
  insert(row: NewUserRow): Promise<UserRow>;
  /** Inserts the default administrator in one statement, only while the table is empty; undefined otherwise. */
  insertFirst(row: NewUserRow): Promise<UserRow | undefined>;
  /**
   * Throws `protected_account` when it would demote the default administrator, and `last_admin` when no enabled
   * administrator would remain, also under concurrent changes. Undefined when there is no such user.
   */
  update(id: number, patch: UserRowPatch): Promise<UserRow | undefined>;
  /** Throws as `update` does; false when there is no such user. */
  remove(id: number): Promise<boolean>;
  /** Undefined when there is no such user or the hash is no longer `instead_of`. */
  setPassword(
    id: number,
    password_hash: string,
    options: { must_change_password: boolean; instead_of?: string | null },
  ): Promise<UserRow | undefined>;
  /** The account bound to this subject of the source. */
  bySubject(source: ExternalSource, subject: string): Promise<UserRow | undefined>;
  /** Undefined when the subject already has an account or the name is taken. */
  insertExternal(source: ExternalSource, account: ExternalAccount): Promise<UserRow | undefined>;
  /** False when the name is taken or there is no such user. */
  rename(id: number, username: string): Promise<boolean>;
}

/** Every method is one conditional statement; false means that a concurrent change won. */
export interface SecondFactorRepository {
  of(user_id: number): Promise<SecondFactorRow | undefined>;
  /** Starts the setup; false while the second factor is enabled. */
  begin(user_id: number, totp_secret_sealed: string): Promise<boolean>;
  /** Completes the setup of exactly this secret. */
  enable(
    user_id: number,
    enrolment: { totp_secret_sealed: string; step: number; recovery_digests: readonly string[] },
  ): Promise<boolean>;
  /** Deletes the secret, step and recovery codes. */
  clear(user_id: number): Promise<void>;
  /** Uses up a time step; false unless it is later than the last one used. */
  takeStep(user_id: number, step: number): Promise<boolean>;
  /** Replaces `before` with `after`. */
  replaceRecovery(user_id: number, before: readonly string[], after: readonly string[]): Promise<boolean>;
}

/** A credential that is still valid. */
interface Standing<Id> {
  readonly id: Id;
  readonly user: UserRow;
  /** When it expires by itself. */
  readonly expires_at: string | null;
}

export interface WebSessionRepository {
  /** Throws `invalid_credentials` when the user is gone. */
  insert(row: WebSessionRow): Promise<void>;
  /**
   * Starts a sign-in, and stores its time as the user's last. Throws `invalid_credentials` when the user is gone or disabled,
   * or no longer has this password.
   */
  begin(row: WebSessionRow, password_hash: string | null): Promise<void>;
  /**
   * Throws `too_many_embeds` when the user already has `limit` unexpired embedded sessions, `invalid_ticket` when the user
   * or what minted it is gone.
   */
  insertEmbed(row: WebSessionRow, limit: number | undefined): Promise<void>;
  /** The unexpired session and its enabled user, in one query. */
  active(id: string, now: string): Promise<{ session: WebSessionRow; user: UserRow } | undefined>;
  /**
   * Sessions of enabled users that have not been ended: sign-ins, expired or not, and unexpired embedded sessions, which
   * alone have `expires_at`.
   */
  standing(ids: readonly string[], now: string): Promise<Standing<string>[]>;
  /** Unexpired sessions, last seen first. */
  ofUser(user_id: number, now: string): Promise<WebSessionRow[]>;
  touch(id: string, last_seen_at: string): Promise<void>;
  /** False when the session has ended. */
  refresh(id: string, fresh_until: string): Promise<boolean>;
  /** For an embedded session that has not expired; false when it has, or was ended. */
  extend(id: string, now: string, expires_at: string): Promise<boolean>;
  /** Expires embedded sessions whose users no longer reach their servers; of one user, one server, or all. */
  expireUnreachable(
    of: { readonly user_id?: number; readonly server_id?: number },
    now: string,
  ): Promise<void>;
  /** The session as it was; undefined when the user has no such session. */
  remove(user_id: number, id: string): Promise<WebSessionRow | undefined>;
  /** How many there were. */
  removeOfUser(user_id: number): Promise<number>;
  removeOthers(user_id: number, kept_id: string): Promise<number>;
  /** Removes sign-ins that expired before this time and have no embedded session left to be taken. */
  removeExpired(before: string): Promise<void>;
  /** Removes and returns embedded sessions that have expired. */
  takeExpiredEmbeds(now: string): Promise<WebSessionRow[]>;
}

/** Sign-ins that passed the password check and wait for the second factor. */
export interface PendingSignInRepository {
  insert(row: PendingSignInRow): Promise<void>;
  /** The enabled user of an unexpired sign-in with attempts left. */
  active(id: string, now: string): Promise<UserRow | undefined>;
  /** Counts one attempt in one statement; false when none is left. */
  try(id: string, now: string): Promise<boolean>;
  /** False when it was already gone; of two concurrent calls, only one gets true. */
  take(id: string): Promise<boolean>;
  removeOfUser(user_id: number): Promise<void>;
  removeExpired(now: string): Promise<void>;
}

export interface ApiKeyRepository {
  /** Throws `too_many_keys` when the user already has `limit` keys. */
  insert(row: Omit<ApiKeyRow, 'id'>, limit: number): Promise<ApiKeyRow>;
  /** Newest first. */
  ofUser(user_id: number): Promise<ApiKeyRow[]>;
  /** The unexpired key and its enabled user, in one query. */
  active(
    key_prefix: string,
    key_digest: string,
    now: string,
  ): Promise<{ key: ApiKeyRow; user: UserRow } | undefined>;
  /** The same lookup by id. */
  activeById(id: number, now: string): Promise<{ key: ApiKeyRow; user: UserRow } | undefined>;
  /** Keys of enabled users that are neither expired nor revoked. */
  standing(ids: readonly number[], now: string): Promise<Standing<number>[]>;
  /** Writes only if the stored last use is older than `unless_since`. */
  touch(id: number, at: string, unless_since: string): Promise<void>;
  /** The removed key; undefined when the user has no such key. */
  remove(user_id: number, id: number): Promise<ApiKeyRow | undefined>;
}

/** Consecutive failed sign-ins by username, whether or not the user exists. */
export interface LockoutRepository {
  /**
   * Counts one attempt in one statement. A locked name is not counted and returns the lock in force. The attempt number
   * `first_lock + i` in a row locks the name until `locks[i]`; the last entry also applies to all further attempts.
   */
  attempt(input: {
    username: string;
    now: string;
    first_lock: number;
    locks: readonly string[];
  }): Promise<{ allowed: boolean; locked_until: string | null }>;
  /** Undoes one attempt, and its lock if that is still in force. */
  undo(username: string, locked_until: string | null): Promise<void>;
  clear(username: string): Promise<void>;
  /** Currently locked names, lower-cased. */
  locked(now: string): Promise<{ username_key: string; locked_until: string }[]>;
  /** Removes entries whose last attempt and lock both ended before this time. */
  removeStale(before: string): Promise<void>;
}

export interface TicketRepository {
  /** Throws `invalid_token` when the session or key has ended. */
  insert(row: TicketRow): Promise<void>;
  /** Removes and returns an unexpired ticket in one statement; of two concurrent calls, only one gets it. */
  take(digest: string, now: string): Promise<TicketRow | undefined>;
  find(digest: string, now: string): Promise<TicketRow | undefined>;
  removeExpired(now: string): Promise<void>;
}

export interface RateLimitRepository {
  /** Counts one hit in a fixed window, in one statement. Returns the count and the end of the window. */
  hit(input: {
    key: string;
    now: string;
    window_ends_at: string;
    /** A window that ends later than this was started before the clock was set back, and counts as over. */
    latest_end: string;
  }): Promise<{ count: number; window_ends_at: string }>;
  removeExpired(now: string): Promise<void>;
}
