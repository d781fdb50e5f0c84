import { describe, expect, it } from 'vitest';
import { type PasswordKeeper, passwordKeeperOf, UserSource } from '#core/model/accounts/user-source.ts';
import { canAlwaysSignIn } from '#core/model/backup/content.ts';
import { assertPasswordIsOurs } from '#core/policy/passwords.ts';

const KEEPERS: Readonly<Record<UserSource, PasswordKeeper>> = {
  local: 'gateway',
  ldap: 'directory',
  oidc: 'provider',
};

describe.each(UserSource.options)('An account from the source %s', (source) => {
  const is_local = source === 'local';

  it('says who keeps its password', () => {
    expect(passwordKeeperOf({ source })).toBe(KEEPERS[source]);
  });

  it('changes its password here only if the gateway keeps it', () => {
    const change = () => assertPasswordIsOurs({ source });
    if (is_local) expect(change).not.toThrow();
    else expect(change).toThrow(expect.objectContaining({ code: 'directory_account' }));
  });

  it('can be relied on for a sign-in only if the gateway keeps its password', () => {
    expect(canAlwaysSignIn({ source, password_hash: 'hash', disabled: false })).toBe(is_local);
  });
});
