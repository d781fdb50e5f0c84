import type { ActivityRegistry } from '../activities/registry.ts';
import type { ActivityRights } from '../activities/rights.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault, invalidField } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import {
  type GroupsInput,
  type NewUser,
  type PasswordReset,
  toUser,
  toUsernameKey,
  type User,
  type UserPatch,
  type UserRow,
  userLabel,
} from '../model/accounts/user.ts';
import { assertMay, credentialOf } from '../policy/account.ts';
import { assertNewPassword, assertPasswordIsOurs } from '../policy/passwords.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { UserRepository, UserRowPatch } from '../ports/repositories/accounts.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Callers } from './callers.ts';
import type { Lockouts } from './lockouts.ts';
import type { WebSessions } from './web-sessions.ts';

/** Account administration. Changes take effect on open sessions and terminals. */
export interface Users {
  list(
    caller: Caller,
    paging: { limit?: number | undefined; offset?: number | undefined },
  ): Promise<{ users: User[]; total: number }>;
  create(caller: Caller, input: NewUser): Promise<User>;
  update(caller: Caller, id: number, patch: UserPatch): Promise<User>;
  setGroups(caller: Caller, id: number, input: GroupsInput): Promise<User>;
  resetPassword(caller: Caller, id: number, input: PasswordReset): Promise<User>;
  resetTotp(caller: Caller, id: number): Promise<User>;
  /** Clears the lock caused by failed sign-ins. */
  unlock(caller: Caller, id: number): Promise<void>;
  remove(caller: Caller, id: number): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users' | 'second_factors' | 'api_keys' | 'snippets'>;
  readonly callers: Callers;
  readonly hasher: PasswordHasher;
  readonly lockouts: Lockouts;
  readonly web_sessions: WebSessions;
  readonly activities: ActivityRegistry;
  readonly rights: ActivityRights;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

export function createUsers(deps: Deps): Users {
  return { ...createRoll(deps), ...createRightsOfUsers(deps), ...createSignInsOfUsers(deps) };
}

type Roll = Pick<Users, 'list' | 'create' | 'remove'>;
type RightsOfUsers = Pick<Users, 'update' | 'setGroups'>;
type SignInsOfUsers = Pick<Users, 'resetPassword' | 'resetTotp' | 'unlock'>;

function createRoll(deps: Deps): Roll {
  const { repositories, callers, hasher, lockouts, activities, trail, clock } = deps;
  const { users } = repositories;
  return {
    async list(caller, { limit, offset }) {
      assertMay(caller, 'read_administration');
      const lockOf = await lockouts.inForce();
      const is_page = limit !== undefined || offset !== undefined;
      const page = await users.list(is_page ? { limit: limit ?? 100, offset: offset ?? 0 } : undefined);
      const listed = page.map((user) => {
        const { username, last_sign_in_at } = user;
        return { ...toUser(user), locked_until: lockOf(username), last_sign_in_at };
      });
      return { users: listed, total: is_page ? await users.count() : page.length };
    },

    async create(caller, { password, ...fields }) {
      assertMay(caller, 'administer_confirmed');
      assertNewPassword(password, fields.username, 'password');
      const password_hash = await hasher.hash(password);
      await assertStillAdmin(callers, caller);
      const user = await users.insert({
        ...fields,
        password_hash,
        totp_enabled: false,
        source: 'local',
        disabled: false,
        created_at: clock.now().toISOString(),
      });
      await trail.record(caller, 'user_create', userLabel(user));
      return toUser(user);
    },

    async remove(caller, id) {
      assertMay(caller, 'administer_confirmed');
      const user = await existing(users, id);
      const lost = await belongingsOf(repositories, id);
      if (!(await users.remove(id))) throw new Fault('user_not_found');
      activities.endWhere(({ owner }) => owner.user_id === id, 'The account was deleted');
      await trail.record(caller, 'user_delete', `${userLabel(user)}; with it: ${lost}`);
    },
  };
}

/** What is deleted together with an account, for the audit log. */
async function belongingsOf({ api_keys, snippets }: Deps['repositories'], user_id: number): Promise<string> {
  const keys = await api_keys.ofUser(user_id);
  const own = (await snippets.visibleTo(user_id)).filter((snippet) => snippet.user_id === user_id);
  return `API keys: ${keys.length}, snippets: ${own.length}`;
}

function createRightsOfUsers({ repositories, web_sessions, rights, trail }: Deps): RightsOfUsers {
  const { users } = repositories;

  async function change(
    id: number,
    patch: UserRowPatch,
    record: (user: UserRow) => Promise<void>,
  ): Promise<UserRow> {
    const changed = await users.update(id, patch);
    if (!changed) throw new Fault('user_not_found');
    // Together: the change is stored, so a failed audit entry must not skip the recheck.
    await Promise.all([record(changed), rights.recheckUser(id)]);
    return changed;
  }

  return {
    async update(caller, id, patch) {
      assertMay(caller, 'administer_confirmed');
      if (patch.must_change_password) assertPasswordIsOurs(await existing(users, id));
      const user = await change(id, patch, (changed) =>
        trail.record(caller, 'user_update', `${userLabel(changed)}: ${flagsOf(patch)}`),
      );
      // Otherwise re-enabling the account would revive them, and somebody with a stolen one could choose the new password.
      if (patch.disabled || patch.must_change_password) await web_sessions.endAll(id);
      return toUser(user);
    },

    async setGroups(caller, id, { allowed_groups }) {
      assertMay(caller, 'administer_confirmed');
      const user = await change(id, { allowed_groups }, (changed) =>
        trail.record(caller, 'user_groups', userLabel(changed)),
      );
      return toUser(user);
    },
  };
}

/** Such as `is_admin: true`, for the audit log. */
function flagsOf(patch: UserPatch): string {
  return Object.entries(patch)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}

function createSignInsOfUsers(deps: Deps): SignInsOfUsers {
  const { repositories, callers, hasher, lockouts, web_sessions, rights, trail } = deps;
  const { users, second_factors } = repositories;
  return {
    async resetPassword(caller, id, { username, password, must_change_password }) {
      assertMay(caller, 'administer_confirmed');
      const user = await existing(users, id);
      assertPasswordIsOurs(user);
      assertMeant(user, username);
      assertNewPassword(password, user.username, 'password');
      const password_hash = await hasher.hash(password);
      await assertStillAdmin(callers, caller);
      const changed = await users.setPassword(id, password_hash, { must_change_password });
      if (!changed) throw new Fault('user_not_found');
      await Promise.all([
        trail.record(caller, 'user_password_reset', userLabel(user)),
        web_sessions.endAll(id),
        rights.recheckUser(id), // terminals opened with API keys, which a forced password change blocks
        lockouts.clear(user.username),
      ]);
      return toUser(changed);
    },

    async resetTotp(caller, id) {
      assertMay(caller, 'administer_confirmed');
      if (id === caller.user_id) throw new Fault('own_account'); // the account page asks for a code
      const user = await existing(users, id);
      await second_factors.clear(id);
      await trail.record(caller, 'totp_reset', userLabel(user));
      return toUser({ ...user, totp_enabled: false });
    },

    async unlock(caller, id) {
      assertMay(caller, 'administer_confirmed');
      const user = await existing(users, id);
      await lockouts.clear(user.username);
      await trail.record(caller, 'user_unlock', userLabel(user));
    },
  };
}

/** Hashing is slow and may queue; the caller may have been disabled in the meantime. */
async function assertStillAdmin(callers: Callers, caller: Caller): Promise<void> {
  const now = await callers.fromCredential(credentialOf(caller), caller.ip_address);
  assertMay(now, 'administer_confirmed');
}

async function existing(users: UserRepository, id: number): Promise<UserRow> {
  const user = await users.byId(id);
  if (!user) throw new Fault('user_not_found');
  return user;
}

/** Guards against resetting the wrong user's password by a mistyped id. */
function assertMeant(user: UserRow, username: string | undefined): void {
  if (username === undefined || toUsernameKey(username) === toUsernameKey(user.username)) return;
  const message = 'Does not match the name of this user';
  throw invalidField('username', message, `username: ${message}`);
}
