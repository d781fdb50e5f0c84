import { z } from 'zod';

export const UserSource = z.enum(['local', 'ldap', 'oidc']);
export type UserSource = z.infer<typeof UserSource>;

export type PasswordKeeper = 'gateway' | 'directory' | 'provider';

// A new source does not compile before this is decided.
const PASSWORD_KEEPERS: Readonly<Record<UserSource, PasswordKeeper>> = {
  local: 'gateway',
  ldap: 'directory',
  oidc: 'provider',
};

/** Who stores, checks and changes the password of an account. */
export function passwordKeeperOf({ source }: { readonly source: UserSource }): PasswordKeeper {
  return PASSWORD_KEEPERS[source];
}
