import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import { type PasswordChange, toUser, type User, type UserRow } from '../model/user.ts';
import { assertSession } from '../policy/account.ts';
import { assertNewPassword } from '../policy/passwords.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import { assertLocal, type PasswordCheck } from './password-check.ts';
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
  readonly trail: AuditTrail;
}

export function createAccount({ repositories, web_sessions, passwords, hasher, trail }: Deps): Account {
  const { users } = repositories;

  async function own(caller: Caller): Promise<UserRow> {
    const user = await users.byId(caller.user_id);
    if (!user) throw new Fault('invalid_token');
    return user;
  }

  return {
    async me(caller) {
      return toUser(await own(caller));
    },

    async changePassword(caller, { new_password, current_password }) {
      assertSession(caller);
      const user = await own(caller);
      assertLocal(user);
      if (current_password !== undefined && !(await passwords.matches(user, current_password))) {
        await trail.record(caller, 'proof_failed', 'current password');
        throw new Fault('wrong_password');
      }
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
  const message = 'Password must differ from the current one';
  return new Fault('validation', message, { errors: [{ path: 'new_password', message }] });
}
