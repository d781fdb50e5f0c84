import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { firstUser, LATER, sessionRow, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('users', (fresh) => {
  const repositories = async () => createRepositories(await fresh.migrated());

  it('inserts the first user as given, with its own id', async () => {
    const { users } = await repositories();
    const inserted = await users.insertFirst(userRow());
    expect(inserted).toEqual({ id: 1, ...userRow(), is_default_admin: true });
    expect(await users.byId(1)).toEqual(inserted);
  });

  it('inserts no first user while there is any user', async () => {
    const store = await fresh.migrated();
    const { users } = createRepositories(store);
    const { id } = await firstUser({ users });
    expect(await users.insertFirst(userRow())).toBeUndefined();
    // Nobody is the default administrator here, so only the empty table can decide.
    await store.db.update(store.tables.users).set({ is_default_admin: null });
    expect(await users.insertFirst(userRow({ username: 'somebody else' }))).toBeUndefined();
    await store.db.delete(store.tables.users).where(eq(store.tables.users.id, id));
    expect(await users.insertFirst(userRow())).toMatchObject(userRow());
  });

  it('inserts one first user when two instances start at once, even under two names', async () => {
    for (let round = 0; round < 10; round += 1) {
      const url = await fresh.migratedUrl();
      const stores = [await fresh.open(url), await fresh.open(url), await fresh.open(url)];
      const inserted = await Promise.all(
        stores.map((store, i) => createRepositories(store).users.insertFirst(userRow({ username: `a${i}` }))),
      );
      expect(inserted.filter((user) => user !== undefined)).toHaveLength(1);
      for (const store of stores) await store.close();
    }
  });

  it('finds a name ignoring case, outside ASCII too', async () => {
    const { users } = await repositories();
    const user = await firstUser({ users }, { username: 'Jürgen ÅSE Ω' });
    expect(await users.byName('jÜRGEN åse ω')).toEqual(user);
    expect(await users.byName('jurgen ase ω')).toBeUndefined();
    expect(await users.byName('%')).toBeUndefined();
  });

  it('finds no user for an impossible name', async () => {
    const { users } = await repositories();
    await firstUser({ users }, { username: 'admin' });
    for (const name of ['', 'admin\0', 'admin ', '\ud800', "' or 1=1 --", 'x'.repeat(1024)]) {
      expect(await users.byName(name)).toBeUndefined();
    }
  });

  it('refuses the same name in other case or with combining marks', async () => {
    const { users } = await repositories();
    const inserted = await users.insert(userRow({ username: 'ÅSE' }));
    expect(inserted).toEqual({ id: 1, ...userRow({ username: 'ÅSE' }), is_default_admin: false });
    for (const username of ['ÅSE', 'åse', 'a\u030ase']) {
      await expect(users.insert(userRow({ username }))).rejects.toMatchObject({ code: 'username_taken' });
      expect(await users.byName(username)).toEqual(inserted);
    }
  });

  it('lists by name ignoring case', async () => {
    const { users } = await repositories();
    for (const username of ['beta', 'Öl', 'Alpha', 'gamma', 'öd']) await users.insert(userRow({ username }));
    const names = (await users.list()).map(({ username }) => username);
    expect(names).toEqual(['Alpha', 'beta', 'gamma', 'öd', 'Öl']);
  });

  it('lists a page by name, and counts all', async () => {
    const { users } = await repositories();
    for (const username of ['beta', 'Öl', 'Alpha', 'gamma', 'a-b', 'öd'])
      await users.insert(userRow({ username }));
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => users.list({ limit: 2, offset })));
    const names = pages.map((page) => page.map(({ username }) => username));
    expect(names).toEqual([['a-b', 'Alpha'], ['beta', 'gamma'], ['öd', 'Öl'], []]);
    expect(await users.count()).toBe(6);
  });

  it('lists when each user last signed in with a password, which ending the session does not change', async () => {
    const { users, web_sessions } = await repositories();
    const user = await firstUser({ users });
    await users.insert(userRow({ username: 'never here' }));
    await web_sessions.begin(sessionRow(user.id, { created_at: LATER }), user.password_hash);
    await web_sessions.removeOfUser(user.id);
    const times = (await users.list()).map(({ last_sign_in_at }) => last_sign_in_at);
    expect(times).toEqual([LATER, null]);
  });

  it('sets a password and whether it must be changed', async () => {
    const { users } = await repositories();
    const user = await firstUser({ users });
    const changed = await users.setPassword(user.id, 'another', { must_change_password: false });
    expect(changed).toEqual({ ...user, password_hash: 'another', must_change_password: false });
    expect(await users.byId(user.id)).toEqual(changed);
    expect(await users.setPassword(99, 'another', { must_change_password: false })).toBeUndefined();
  });

  it('replaces exactly the password that was read', async () => {
    const { users } = await repositories();
    const { id } = await firstUser({ users });
    const set = (hash: string, instead_of: string | null) =>
      users.setPassword(id, hash, { must_change_password: false, instead_of });
    expect(await set('stale', 'not the present one')).toBeUndefined();
    expect(await set('stale', null)).toBeUndefined();
    const present = (await users.byId(id))?.password_hash ?? '';
    const both = await Promise.all([set('one', present), set('other', present)]);
    expect(both.filter((row) => row !== undefined)).toHaveLength(1);
  });

  it('writes no password hash into an error', async () => {
    const store = await fresh.migrated();
    const { users } = createRepositories(store);
    await store.close();
    const failure: unknown = await users
      .setPassword(1, 'secret-hash', { must_change_password: false })
      .catch((error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(JSON.stringify([String(failure), failure, Object(failure).stack])).not.toContain('secret-hash');
    const { cause } = Object(failure);
    expect(JSON.stringify([String(cause), Object(cause), Object(cause).stack])).not.toContain('secret-hash');
    expect(Object(cause).cause).toBeUndefined();
  });
});
