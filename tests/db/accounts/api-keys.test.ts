import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, apiKeyRow, firstUser, LATER, twoInstances, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('API keys', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const user = await firstUser(repositories);
    const key = await repositories.api_keys.insert(apiKeyRow(user.id), 100);
    return { ...repositories, user, key };
  }

  it('are stored as given, each with its own id', async () => {
    const { api_keys, user, key } = await prepare();
    expect(key).toEqual({ id: 1, ...apiKeyRow(user.id) });
    expect(await api_keys.active('sp_abc', 'digest', AT)).toEqual({ key, user });
    expect(await api_keys.activeById(1, AT)).toEqual({ key, user });
    expect(await api_keys.active('sp_abc', 'another', AT)).toBeUndefined();
    expect(await api_keys.active('sp_xyz', 'digest', AT)).toBeUndefined();
    expect(await api_keys.activeById(2, AT)).toBeUndefined();
  });

  it('are valid until they expire, and for enabled users only', async () => {
    const { api_keys, users, user } = await prepare();
    const brief = apiKeyRow(user.id, { key_digest: 'brief', expires_at: LATER });
    const { id } = await api_keys.insert(brief, 100);
    expect(await api_keys.activeById(id, AT)).toBeDefined();
    expect(await api_keys.activeById(id, LATER)).toBeUndefined();
    expect(await api_keys.active('sp_abc', 'brief', LATER)).toBeUndefined();
    const standing = async () => (await api_keys.standing([1, id, 99], AT)).map((key) => key.id).sort();
    expect(await standing()).toEqual([1, id]);
    expect((await api_keys.standing([1, id], LATER)).map((key) => key.id)).toEqual([1]);
    await users.insert(userRow({ username: 'b' }));
    await users.update(user.id, { disabled: true });
    expect(await api_keys.active('sp_abc', 'digest', AT)).toBeUndefined();
    expect(await standing()).toEqual([]);
  });

  it('are listed for their user, newest first', async () => {
    const { api_keys, user, key } = await prepare();
    const newer = await api_keys.insert(
      apiKeyRow(user.id, { key_digest: 'newer', created_at: LATER, scopes: [] }),
      100,
    );
    const twin = await api_keys.insert(apiKeyRow(user.id, { key_digest: 'twin' }), 100);
    expect(await api_keys.ofUser(user.id)).toEqual([newer, twin, key]);
    expect(await api_keys.ofUser(99)).toEqual([]);
  });

  it('record their last use, at most as often as requested', async () => {
    const { api_keys } = await prepare();
    const used = async () => (await api_keys.activeById(1, AT))?.key.last_used_at;
    await api_keys.touch(1, AT, AT);
    expect(await used()).toBe(AT);
    await api_keys.touch(1, LATER, AT);
    expect(await used()).toBe(AT);
    await api_keys.touch(1, LATER, LATER);
    expect(await used()).toBe(LATER);
  });

  it('are removed by their user only, once, and with their user', async () => {
    const { api_keys, users, user, key } = await prepare();
    expect(await api_keys.remove(user.id + 1, key.id)).toBeUndefined();
    expect(await api_keys.remove(user.id, key.id)).toEqual(key);
    expect(await api_keys.remove(user.id, key.id)).toBeUndefined();
    const other = await users.insert(userRow({ username: 'b' }));
    const { id } = await api_keys.insert(apiKeyRow(other.id), 100);
    await users.remove(other.id);
    expect(await api_keys.activeById(id, AT)).toBeUndefined();
  });

  it('are limited per user, even when many are created at once', { timeout: 180_000 }, async () => {
    const [one, two] = await twoInstances(fresh);
    const { id } = await firstUser(one);
    const other = await one.users.insert(userRow({ username: 'b' }));
    const insert = (i: number) =>
      (i % 2 ? one : two).api_keys.insert(apiKeyRow(id, { key_digest: `digest ${i}` }), 100);
    for (let i = 0; i < 95; i += 1) await insert(i);
    const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => insert(1000 + i)));
    const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons).toHaveLength(15);
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'too_many_keys' });
    expect(await one.api_keys.ofUser(id)).toHaveLength(100);
    expect(await one.api_keys.insert(apiKeyRow(other.id, { key_digest: 'mine' }), 100)).toBeDefined();
  });
});
