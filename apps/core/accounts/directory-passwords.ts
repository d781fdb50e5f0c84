import { Fault } from '../errors.ts';
import type { ExternalIdentity } from '../model/accounts/external-identity.ts';
import { Username, type UserRow } from '../model/accounts/user.ts';
import { passwordKeeperOf } from '../model/accounts/user-source.ts';
import { type DirectoryGroupRules, rightsOf } from '../policy/directory-groups.ts';
import type { Directory, DirectoryUser } from '../ports/identity.ts';
import type { Log } from '../ports/runtime.ts';
import type { Admission, ExternalAccounts } from './external-accounts.ts';

/** What the client learns instead of a failed sign-in: neither says that the password is wrong. */
export type DirectoryCode = 'directory_unavailable' | 'directory_password_expired';

/** The reason is for the audit log; without a code, the client only learns that the sign-in failed. */
export type Checked = Admission & { readonly code?: DirectoryCode };

/** Checks passwords at the directory, which also knows people without an account here. */
export interface DirectoryPasswords {
  /** `namesake` has the name that was typed. */
  check(username: string, password: string, namesake: UserRow | undefined): Promise<Checked>;
}

export interface DirectoryAccess {
  readonly directory: Directory;
  readonly rules: DirectoryGroupRules;
}

interface Deps extends DirectoryAccess {
  readonly external_accounts: ExternalAccounts;
  readonly log: Log;
}

export function createDirectoryPasswords(deps: Deps): DirectoryPasswords {
  const { directory, rules, external_accounts, log } = deps;

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

  return {
    async check(username, password, namesake) {
      // RFC 4513 §5.1.2: a bind with an empty password always succeeds.
      if (password === '') return { refusal: 'empty password' };
      if (!Username.safeParse(username).success) return { refusal: 'no possible name' };
      const found = await ask(username, password);
      const is_strangers = isOfAnotherSource(namesake);
      if (found === 'unavailable') return is_strangers ? { refusal: 'wrong password' } : UNAVAILABLE;
      if (found === 'expired') return is_strangers || namesake?.disabled ? REFUSED : EXPIRED;
      if (!found) return namesake?.password_hash ? { refusal: 'wrong password' } : REFUSED;
      if (is_strangers) return { refusal: 'the directory accepts it, but a local account has this name' };
      return external_accounts.admit(toIdentity(found, rules), { kind: 'ldap' });
    },
  };
}

/** Also for a right password of somebody who may not sign in: it must not be told apart from a wrong one. */
const REFUSED: Checked = { refusal: 'refused by the directory' };

/** Names without an account of another source are all answered alike, so that an outage tells nobody which of them exist. */
const UNAVAILABLE: Checked = { refusal: 'the sign-in was refused', code: 'directory_unavailable' };

const EXPIRED: Checked = {
  refusal: 'the directory wants a new password first',
  code: 'directory_password_expired',
};

/** The directory never takes over an account that is not its own. */
function isOfAnotherSource(user: UserRow | undefined): boolean {
  return user !== undefined && passwordKeeperOf(user) !== 'directory';
}

function toIdentity({ id, usernames, groups }: DirectoryUser, rules: DirectoryGroupRules): ExternalIdentity {
  return { subject: id, usernames, rights: rightsOf(groups, rules) };
}
