import { randomToken } from '../lib/bytes/bytes.ts';
import type { UserRow } from '../model/accounts/user.ts';
import type { PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Checked, DirectoryPasswords } from './directory-passwords.ts';

/** Checks usernames and passwords: local accounts first, then the directory. */
export interface PasswordCheck {
  check(username: string, password: string): Promise<Checked>;
  /** Checks the local hash only. */
  matches(user: UserRow | undefined, password: string): Promise<boolean>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly hasher: PasswordHasher;
  /** Undefined when no directory is configured. */
  readonly directory: DirectoryPasswords | undefined;
}

export function createPasswordCheck({ repositories, hasher, directory }: Deps): PasswordCheck {
  const { users } = repositories;
  const decoy = hasher.hash(randomToken());
  decoy.catch(() => undefined); // a rejection is handled where it is awaited

  /** Verifies a hash for unknown names too, so that they take as long as a wrong password. */
  async function matches(user: UserRow | undefined, password: string): Promise<boolean> {
    const is_right = await hasher.verify(user?.password_hash ?? (await decoy), password);
    return is_right && typeof user?.password_hash === 'string';
  }

  return {
    matches,
    async check(username, password) {
      const user = await users.byName(username);
      const is_right = await matches(user, password);
      if (user && is_right)
        return user.disabled ? { refusal: 'the account is disabled' } : { user, changed: [] };
      if (!directory) return { refusal: user ? 'wrong password' : 'unknown name' };
      return directory.check(username, password, user);
    },
  };
}
