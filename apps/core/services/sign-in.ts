import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes.ts';
import type { Caller } from '../model/caller.ts';
import {
  type Login,
  type LoginResult,
  type PasswordChange,
  toUser,
  type User,
  type UserRow,
} from '../model/user.ts';
import { assertNewPassword } from '../policy/passwords.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Origin, WebSessions } from './web-sessions.ts';

export interface SignIn {
  login(input: Login, origin: Origin): Promise<LoginResult>;
  me(caller: Caller): Promise<User>;
  changePassword(caller: Caller, input: PasswordChange): Promise<User>;
  logout(caller: Caller): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly web_sessions: WebSessions;
  readonly hasher: PasswordHasher;
}

export function createSignIn({ repositories, web_sessions, hasher }: Deps): SignIn {
  const { users } = repositories;
  const checkLocal = createLocalCheck(hasher);

  async function own(caller: Caller): Promise<UserRow> {
    const user = await users.byId(caller.user_id);
    if (!user) throw new Fault('invalid_token');
    return user;
  }

  return {
    async login({ username, password }, origin) {
      const user = await users.byName(username);
      const matches = await checkLocal(user, password);
      if (!user || !matches || user.disabled) throw new Fault('invalid_credentials');
      const access_token = await web_sessions.start(user, origin);
      return { access_token, token_type: 'bearer', requires_2fa: false };
    },

    async me(caller) {
      return toUser(await own(caller));
    },

    async changePassword(caller, { new_password, current_password }) {
      const user = await own(caller);
      if (current_password !== undefined && !(await checkLocal(user, current_password))) {
        throw new Fault('wrong_password');
      }
      assertNewPassword(new_password, user.username);
      if (user.must_change_password && (await checkLocal(user, new_password))) throw samePassword();
      const changed = await users.setPassword(user.id, await hasher.hash(new_password), false);
      await web_sessions.endOthers(user.id, caller.session_id);
      return toUser(changed);
    },

    logout: (caller) => web_sessions.end(caller.session_id),
  };
}

/** A forced change is there because somebody else may know the present one. */
function samePassword(): Fault {
  const message = 'Password must differ from the present one';
  return new Fault('validation', message, { errors: [{ path: 'new_password', message }] });
}

/** An unknown name costs the same time as a wrong password: both verify one hash. */
function createLocalCheck(hasher: PasswordHasher) {
  const decoy = hasher.hash(randomToken());
  decoy.catch(() => undefined); // a failure shows where it is awaited
  return async (user: UserRow | undefined, password: string): Promise<boolean> => {
    const matches = await hasher.verify(user?.password_hash ?? (await decoy), password);
    return matches && typeof user?.password_hash === 'string';
  };
}
