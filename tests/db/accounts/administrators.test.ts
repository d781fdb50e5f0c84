import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { firstUser, twoInstances, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('administrators', (fresh) => {
  async function prepare() {
    const { users } = createRepositories(await fresh.migrated());
    const first = await firstUser({ users });
    return { users, first };
  }

  it('changes only what the patch names', async () => {
    const { users } = await prepare();
    const user = await users.insert(userRow({ username: 'b' }));
    const patch = { is_admin: false, disabled: true, must_change_password: false, allowed_groups: ['x'] };
    expect(await users.update(user.id, patch)).toEqual({ ...user, ...patch });
    expect(await users.update(user.id, {})).toEqual({ ...user, ...patch });
    expect(await users.byId(user.id)).toEqual({ ...user, ...patch });
  });

  it('finds no user for an unknown id', async () => {
    const { users } = await prepare();
    for (const patch of [{}, { is_admin: true }, { is_admin: false }, { disabled: true }]) {
      expect(await users.update(99, patch)).toBeUndefined();
    }
    expect(await users.remove(99)).toBe(false);
  });

  it('neither removes nor demotes the default administrator, but disables it when there is another one', async () => {
    const { users, first } = await prepare();
    const refusal = { code: 'protected_account' };
    await expect(users.update(first.id, { is_admin: false })).rejects.toMatchObject(refusal);
    await expect(users.remove(first.id)).rejects.toMatchObject(refusal);
    await users.insert(userRow({ username: 'b' }));
    await expect(users.update(first.id, { is_admin: false })).rejects.toMatchObject(refusal);
    await expect(users.remove(first.id)).rejects.toMatchObject(refusal);
    expect(await users.byId(first.id)).toEqual(first);
    expect(await users.update(first.id, { disabled: true })).toEqual({ ...first, disabled: true });
  });

  it('keeps the last enabled administrator', async () => {
    const { users, first } = await prepare();
    const second = await users.insert(userRow({ username: 'b' }));
    await users.insert(userRow({ username: 'c', disabled: true }));
    await users.insert(userRow({ username: 'd', is_admin: false }));
    await users.update(first.id, { disabled: true });
    const refusal = { code: 'last_admin' };
    await expect(users.update(second.id, { disabled: true })).rejects.toMatchObject(refusal);
    await expect(users.update(second.id, { is_admin: false })).rejects.toMatchObject(refusal);
    await expect(users.remove(second.id)).rejects.toMatchObject(refusal);
    expect(await users.byId(second.id)).toEqual(second);
  });

  it('removes users who are not enabled administrators, even all of them', async () => {
    const { users, first } = await prepare();
    const disabled = await users.insert(userRow({ username: 'b', disabled: true }));
    const plain = await users.insert(userRow({ username: 'c', is_admin: false }));
    expect(await users.update(disabled.id, { is_admin: false })).toMatchObject({ is_admin: false });
    expect(await users.update(plain.id, { disabled: true })).toMatchObject({ disabled: true });
    expect(await users.remove(disabled.id)).toBe(true);
    expect(await users.remove(plain.id)).toBe(true);
    expect(await users.remove(plain.id)).toBe(false);
    expect(await users.list()).toMatchObject([first]);
  });

  it('keeps one of two administrators who remove, demote or disable each other at once', async () => {
    const [one, two] = await twoInstances(fresh);
    const first = await firstUser(one);
    for (let round = 0; round < 12; round += 1) {
      const a = await one.users.insert(userRow({ username: `a${round}` }));
      const b = await one.users.insert(userRow({ username: `b${round}` }));
      await one.users.update(first.id, { disabled: true });
      const ends = await Promise.allSettled([
        round % 2 ? one.users.remove(a.id) : one.users.update(a.id, { is_admin: false }),
        round % 3 ? two.users.remove(b.id) : two.users.update(b.id, { disabled: true }),
      ]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(reasons[0]).toMatchObject({ code: 'last_admin' });
      await one.users.update(first.id, { disabled: false });
      for (const { id } of [a, b]) await one.users.remove(id);
    }
  });
});
