import type { ApiKeyRow } from '../../model/api-key.ts';
import type { SecondFactorRow } from '../../model/second-factor.ts';
import type { TicketRow } from '../../model/ticket.ts';
import type { UserRow } from '../../model/user.ts';
import type { PendingSignInRow, WebSessionRow } from '../../model/web-session.ts';

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

export interface TicketRepository {
  /** `invalid_token` when the session or key has ended meanwhile. */
  insert(row: TicketRow): Promise<void>;
  /** Removes and returns an unexpired ticket in one statement: of two at once, one gets it. */
  take(digest: string, now: string): Promise<TicketRow | undefined>;
  find(digest: string, now: string): Promise<TicketRow | undefined>;
  removeExpired(now: string): Promise<void>;
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
