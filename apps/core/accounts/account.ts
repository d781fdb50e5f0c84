import type { AuditTrail } from '../audit/trail.ts';
import { Fault, invalidField } from '../errors.ts';
import type { Caller } from '../model/accounts/caller.ts';
import { type PasswordChange, toUser, type User, type UserRow } from '../model/accounts/user.ts';
import { assertFresh, assertMay } from '../policy/account.ts';
import { assertNewPassword, assertPasswordIsOurs } from '../policy/passwords.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Lockouts } from './lockouts.ts';
import type { PasswordCheck } from './password-check.ts';
import type { WebSessions } from './web-sessions.ts';

/** The caller's own account. */
export interface Account {
  me(caller: Caller): Promise<User>;
  changePassword(caller: Caller, input: PasswordChange): Promise<User>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly web_sessions: WebSessions;
  readonly passwords: PasswordCheck;
  readonly hasher: PasswordHasher;
  readonly lockouts: Lockouts;
  readonly trail: AuditTrail;
}

export function createAccount(deps: Deps): Account {
  const { repositories, web_sessions, passwords, hasher, lockouts, trail } = deps;
  const { users } = repositories;

  async function own(caller: Caller): Promise<UserRow> {
    const user = await users.byId(caller.user_id);
    if (!user) throw new Fault('invalid_token');
    return user;
  }

  /** Wrong passwords count towards the account's lock, so a stolen session cannot be used to guess them. */
  async function assertMatches(caller: Caller, user: UserRow, password: string): Promise<void> {
    const attempt = await lockouts.attempt(user.username);
    if (!(await passwords.matches(user, password))) {
      await trail.record(caller, 'proof_failed', 'current password');
      throw new Fault('wrong_password');
    }
    await attempt.succeeded(user.username);
  }

  return {
    async me(caller) {
      assertMay(caller, 'see_own_account');
      return toUser(await own(caller));
    },

    async changePassword(caller, { new_password, current_password }) {
      assertMay(caller, 'change_own_password');
      const user = await own(caller);
      assertPasswordIsOurs(user);
      if (current_password !== undefined) await assertMatches(caller, user, current_password);
      else assertFresh(caller);
      assertNewPassword(new_password, user.username);
      if (user.must_change_password && (await passwords.matches(user, new_password))) throw samePassword();
      const changed = await users.setPassword(user.id, await hasher.hash(new_password), {
        must_change_password: false,
        instead_of: user.password_hash,
      });
      if (!changed) throw new Fault('invalid_token'); // deleted or reset in the meantime, which signed the caller out
      await Promise.all([
        trail.record(caller, 'password_change', ''),
        web_sessions.endOthers(user.id, String(caller.credential.id)),
      ]);
      return toUser(changed);
    },
  };
}

/** A forced change exists because somebody else may know the current password. */
function samePassword(): Fault {
  return invalidField('new_password', 'Password must differ from the current one');
}
