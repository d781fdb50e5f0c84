import { expect, it } from 'vitest';
import type { ExternalAccount } from '#core/ports/repositories/accounts.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, firstUser, twoInstances, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const LDAP = { kind: 'ldap' } as const;

function account(change: Partial<ExternalAccount> = {}): ExternalAccount {
  return {
    subject: 'entry',
    username: 'Jane',
    is_admin: false,
    allowed_groups: ['web'],
    created_at: AT,
    ...change,
  };
}

describeEachStore('accounts of a directory', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated()).users;

  it('are created from their directory entry and found by it', async () => {
    const users = await prepare();
    const jane = await users.insertExternal(LDAP, account());
    expect(jane).toEqual({
      id: 1,
      username: 'Jane',
      is_admin: false,
      must_change_password: false,
      totp_enabled: false,
      allowed_groups: ['web'],
      source: 'ldap',
      password_hash: null,
      disabled: false,
      is_default_admin: false,
      created_at: AT,
    });
    expect(await users.bySubject(LDAP, 'entry')).toEqual(jane);
    expect(await users.bySubject(LDAP, 'ENTRY')).toBeUndefined();
  });

  it('do not replace another account with the same name or entry', async () => {
    const users = await prepare();
    const admin = await firstUser({ users });
    const jane = await users.insertExternal(LDAP, account());
    expect(await users.insertExternal(LDAP, account({ username: 'ADMIN', subject: 'x' }))).toBeUndefined();
    expect(await users.insertExternal(LDAP, account({ username: 'JANE', subject: 'x' }))).toBeUndefined();
    expect(await users.insertExternal(LDAP, account({ username: 'Joe' }))).toBeUndefined();
    expect(await users.list()).toMatchObject([admin, jane]);
  });

  it('match no entry when they have no entry id', async () => {
    const users = await prepare();
    await users.insert(userRow({ username: 'old', source: 'ldap' }));
    await users.insert(userRow({ username: 'older', source: 'ldap' }));
    expect(await users.bySubject(LDAP, '')).toBeUndefined();
    expect(await users.insertExternal(LDAP, account({ username: 'old' }))).toBeUndefined();
  });

  it('take a new name that is free, ignoring case', async () => {
    const users = await prepare();
    await firstUser({ users });
    await users.insertExternal(LDAP, account());
    expect(await users.rename(2, 'ADMIN')).toBe(false);
    expect(await users.byName('jane')).toMatchObject({ id: 2, username: 'Jane' });
    expect(await users.rename(2, 'Zoe')).toBe(true);
    expect(await users.byName('ZOE')).toMatchObject({ id: 2, username: 'Zoe' });
    expect(await users.byName('jane')).toBeUndefined();
    expect(await users.rename(99, 'nobody')).toBe(false);
  });

  it('are created once by concurrent sign-ins, even under two names', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 0; round < 10; round += 1) {
      const rows = await Promise.all(
        [one, two, one, two].map(({ users }, i) =>
          users.insertExternal(
            LDAP,
            account({ subject: `entry ${round}`, username: `user ${round} ${i % 3}` }),
          ),
        ),
      );
      expect(rows.filter((row) => row !== undefined)).toHaveLength(1);
    }
    expect(await one.users.list()).toHaveLength(10);
  });
});
