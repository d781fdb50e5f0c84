import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, firstUser, LATER, pendingRow, twoInstances, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('pending sign-ins', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const user = await firstUser(repositories);
    await repositories.pending_sign_ins.insert(pendingRow(user.id));
    return { ...repositories, pending: repositories.pending_sign_ins, user };
  }

  it('identify their user until they expire', async () => {
    const { pending, user } = await prepare();
    expect(await pending.active('pending', AT)).toEqual(user);
    expect(await pending.active('pending', LATER)).toBeUndefined();
    expect(await pending.active('another', AT)).toBeUndefined();
    expect(await pending.try('pending', LATER)).toBe(false);
  });

  it('identify no disabled user', async () => {
    const { pending, users, user } = await prepare();
    await users.insert(userRow({ username: 'b' }));
    await users.update(user.id, { disabled: true });
    expect(await pending.active('pending', AT)).toBeUndefined();
  });

  it('allow five attempts', async () => {
    const { pending } = await prepare();
    for (let i = 0; i < 5; i += 1) {
      expect(await pending.active('pending', AT)).toBeDefined();
      expect(await pending.try('pending', AT)).toBe(true);
    }
    expect(await pending.try('pending', AT)).toBe(false);
    expect(await pending.active('pending', AT)).toBeUndefined();
  });

  it('are removed with their user, on request and on expiry', async () => {
    const { pending, users, user } = await prepare();
    const other = await users.insert(userRow({ username: 'b' }));
    for (const id of ['second', 'third']) await pending.insert(pendingRow(other.id, { id }));
    await pending.insert(pendingRow(user.id, { id: 'old', expires_at: AT }));
    await pending.removeExpired(AT);
    expect(await pending.take('old')).toBe(false);
    await pending.removeOfUser(user.id);
    expect(await pending.active('pending', AT)).toBeUndefined();
    expect(await pending.active('second', AT)).toEqual(other);
    await users.remove(other.id);
    expect(await pending.take('second')).toBe(false);
  });

  it('are used once, and allow five attempts in total under concurrency', async () => {
    const [one, two] = await twoInstances(fresh);
    const { id } = await firstUser(one);
    const all = [one, two, one, two, one, two, one, two].map(({ pending_sign_ins }) => pending_sign_ins);
    for (let round = 0; round < 10; round += 1) {
      await one.pending_sign_ins.insert(pendingRow(id));
      const tries = await Promise.all(all.map((pending) => pending.try('pending', AT)));
      expect(tries.filter(Boolean)).toHaveLength(5);
      const taken = await Promise.all(all.map((pending) => pending.take('pending')));
      expect(taken.filter(Boolean)).toHaveLength(1);
    }
  });
});
