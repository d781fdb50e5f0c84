import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../support/stores.ts';
import { AT, firstUser, LATER, twoInstances, userRow } from './rows.ts';

describeEachStore('accounts of a directory', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated()).users;

  it('are created with what the directory says', async () => {
    const users = await prepare();
    const plain = await users.upsertFromDirectory({ username: 'Jane', created_at: AT });
    expect(plain).toEqual({
      id: 1,
      username: 'Jane',
      is_admin: false,
      must_change_password: false,
      totp_enabled: false,
      allowed_groups: [],
      source: 'ldap',
      password_hash: null,
      disabled: false,
      is_default_admin: false,
      created_at: AT,
    });
    const said = { username: 'Joe', is_admin: true, allowed_groups: ['web'], created_at: AT };
    expect(await users.upsertFromDirectory(said)).toMatchObject(said);
  });

  it('are refreshed in what the directory says, and keep the rest', async () => {
    const users = await prepare();
    const said = { username: 'jane', is_admin: true, allowed_groups: ['web'], created_at: AT };
    const before = await users.upsertFromDirectory(said);
    await users.insert(userRow());
    await users.update(1, { disabled: true });
    const unasked = await users.upsertFromDirectory({ username: 'JANE', created_at: LATER });
    expect(unasked).toEqual({ ...before, username: 'JANE', disabled: true });
    const demoted = { username: 'Jane', is_admin: false, allowed_groups: [], created_at: LATER };
    expect(await users.upsertFromDirectory(demoted)).toEqual({
      ...before,
      ...demoted,
      created_at: AT,
      disabled: true,
    });
  });

  it('never take over a local account of the same name', async () => {
    const users = await prepare();
    const admin = await firstUser({ users });
    const said = { username: 'ADMIN', is_admin: false, allowed_groups: [], created_at: LATER };
    expect(await users.upsertFromDirectory(said)).toBeUndefined();
    expect(await users.list()).toEqual([admin]);
  });

  it('are created once by sign-ins at once', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 0; round < 10; round += 1) {
      const said = { username: `user ${round}`, created_at: AT };
      const rows = await Promise.all(
        [one, two, one, two].map(({ users }) => users.upsertFromDirectory(said)),
      );
      expect(new Set(rows.map((row) => row?.id)).size).toBe(1);
    }
    expect(await one.users.list()).toHaveLength(10);
  });
});
