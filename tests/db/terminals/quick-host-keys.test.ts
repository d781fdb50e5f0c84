import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { firstUser, quickKeyRow, twoInstances, userRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('host keys of quick connect', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const { id: mine } = await firstUser(repositories);
    const { id: theirs } = await repositories.users.insert(userRow({ username: 'b' }));
    return { ...repositories, quick: repositories.quick_host_keys, mine, theirs };
  }

  it('are pinned for one user, host and port', async () => {
    const { quick, mine, theirs } = await prepare();
    const pinned = await quick.pin(quickKeyRow(mine));
    expect(pinned).toMatchObject(quickKeyRow(mine));
    expect(await quick.find(quickKeyRow(mine))).toEqual(pinned);
    expect(await quick.find(quickKeyRow(mine, { port: 2222 }))).toBeUndefined();
    expect(await quick.find(quickKeyRow(mine, { hostname: 'beta.test' }))).toBeUndefined();
    expect(await quick.find(quickKeyRow(theirs))).toBeUndefined();
  });

  it('are not overwritten', async () => {
    const { quick, mine, theirs } = await prepare();
    const other = { host_key: 'BBBB', fingerprint: 'SHA256:bbbb' };
    const pinned = await quick.pin(quickKeyRow(mine));
    expect(await quick.pin(quickKeyRow(mine, other))).toEqual(pinned);
    expect(await quick.pin(quickKeyRow(theirs, other))).toMatchObject(other);
  });

  it('are the same for several concurrent first connections', async () => {
    const [one, two] = await twoInstances(fresh);
    const { id } = await firstUser(one);
    const pin = (host_key: string, i: number) =>
      (i % 2 ? one : two).quick_host_keys.pin(quickKeyRow(id, { host_key }));
    const [first, ...others] = await Promise.all(['AAAA', 'BBBB', 'CCCC', 'DDDD'].map(pin));
    expect(others).toEqual([first, first, first]);
  });

  it('are listed by host name and port', async () => {
    const { quick, mine, theirs } = await prepare();
    const addresses = [
      ['b.test', 22],
      ['a.test', 2222],
      ['a.test', 22],
    ] as const;
    for (const [hostname, port] of addresses) await quick.pin(quickKeyRow(mine, { hostname, port }));
    await quick.pin(quickKeyRow(theirs));
    const listed = (await quick.ofUser(mine)).map(({ hostname, port }) => [hostname, port]);
    expect(listed).toEqual([addresses[2], addresses[1], addresses[0]]);
  });

  it('are removed once, only by their user, and with their user', async () => {
    const { quick, users, mine, theirs } = await prepare();
    const pinned = await quick.pin(quickKeyRow(theirs));
    expect(await quick.remove(mine, pinned.id)).toBeUndefined();
    expect(await quick.remove(theirs, pinned.id)).toEqual(pinned);
    expect(await quick.remove(theirs, pinned.id)).toBeUndefined();
    await quick.pin(quickKeyRow(theirs));
    await users.remove(theirs);
    expect(await quick.ofUser(theirs)).toEqual([]);
  });

  it('are refused for a deleted user', async () => {
    const { quick } = await prepare();
    await expect(quick.pin(quickKeyRow(99))).rejects.toMatchObject({ code: 'invalid_token' });
  });
});
