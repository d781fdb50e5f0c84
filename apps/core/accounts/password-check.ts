import { Fault } from '../errors.ts';
import { randomToken } from '../lib/bytes.ts';
import { Username, type UserRow } from '../model/user.ts';
import type { DirectoryGroupRules } from '../policy/directory-groups.ts';
import type { Directory, DirectoryUser, PasswordHasher } from '../ports/identity.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { createDirectoryAccounts, type DirectoryChange } from './external-accounts.ts';

/** Reason for the audit log; the client only learns that the sign-in failed. */
export type Checked =
  | {
      readonly user: UserRow;
      /** Changes that the directory made to the account; the caller records them. */
      readonly changed: readonly DirectoryChange[];
      readonly refusal?: undefined;
    }
  | {
      readonly user?: undefined;
      readonly refusal: string;
      /** What the client learns instead: neither says that the password is wrong. */
      readonly code?: 'directory_unavailable' | 'directory_password_expired';
    };

/** Checks usernames and passwords: local accounts first, then the directory. */
export interface PasswordCheck {
  check(username: string, password: string): Promise<Checked>;
  /** Checks the local hash only. */
  matches(user: UserRow | undefined, password: string): Promise<boolean>;
}

export interface DirectoryAccess {
  readonly directory: Directory;
  readonly rules: DirectoryGroupRules;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'users'>;
  readonly hasher: PasswordHasher;
  /** Undefined when no directory is configured. */
  readonly directory_access: DirectoryAccess | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export function createPasswordCheck(deps: Deps): PasswordCheck {
  const { repositories, hasher, directory_access } = deps;
  const { users } = repositories;
  const askDirectory = directory_access && createDirectoryCheck(deps, directory_access);
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
      if (user && is_right) return user.disabled ? refused('the account is disabled') : { user, changed: [] };
      if (!askDirectory) return refused(user ? 'wrong password' : 'unknown name');
      return askDirectory(username, password, user);
    },
  };
}

/** Asks the directory about names without a local account. */
function createDirectoryCheck(deps: Deps, { directory, rules }: DirectoryAccess) {
  const { log } = deps;
  const accounts = createDirectoryAccounts({ ...deps, rules });

  async function ask(username: string, password: string) {
    try {
      return await directory.authenticate(username, password);
    } catch (err) {
      if (err instanceof Fault && err.code === 'directory_password_expired') return 'expired' as const;
      // Message only: the stack does not help an operator.
      const reason = err instanceof Error ? err.message : String(err);
      log.error({ reason }, 'The directory cannot be asked; the sign-in is refused');
      return 'unavailable' as const;
    }
  }

  /** A right password of somebody who may not sign in must not be told apart from a wrong one. */
  function expired(namesake: UserRow | undefined): Checked {
    if (namesake?.disabled || (namesake && namesake.source !== 'ldap'))
      return refused('refused by the directory');
    return { refusal: 'the directory wants a new password first', code: 'directory_password_expired' };
  }

  async function admit(found: DirectoryUser, namesake: UserRow | undefined): Promise<Checked> {
    if (namesake && namesake.source !== 'ldap') {
      return refused('the directory accepts it, but a local account has this name');
    }
    const admitted = await accounts.admit(found);
    if (!admitted) return refused('the directory accepts it, but another account has this name');
    return admitted.user.disabled ? refused('the account is disabled') : admitted;
  }

  return async (username: string, password: string, namesake: UserRow | undefined): Promise<Checked> => {
    // RFC 4513 §5.1.2: a bind with an empty password always succeeds.
    if (password === '') return refused('empty password');
    if (!Username.safeParse(username).success) return refused('no possible name');
    const found = await ask(username, password);
    if (found === 'unavailable') return unanswered(namesake);
    if (found === 'expired') return expired(namesake);
    if (!found) return refused(namesake?.password_hash ? 'wrong password' : 'refused by the directory');
    return admit(found, namesake);
  };
}

function refused(refusal: string): Checked {
  return { refusal };
}

/** Names without a local account are all answered alike, so that an outage tells nobody which of them exist. */
function unanswered(namesake: UserRow | undefined): Checked {
  if (namesake && namesake.source !== 'ldap') return refused('wrong password');
  return { refusal: 'the sign-in was refused', code: 'directory_unavailable' };
}

/** Passwords of directory accounts cannot be changed here. */
export function assertLocal(user: UserRow): void {
  if (user.source !== 'local') throw new Fault('directory_account');
}
