import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, instanceRow, LATER, recordingRow, serverRow, TTL_MS } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const ALL = { user_id: undefined };
const PAGE = { limit: 100, offset: 0 };
const END = {
  ended_at: LATER,
  duration_s: 3600.125,
  size_bytes: 5_000_000_000,
  sha256: 'ab',
  status: 'finished',
} as const;

describeEachStore('recordings', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const { id: server_id } = await repositories.servers.insert(serverRow());
    const { recordings } = repositories;
    const add = (change: Parameters<typeof recordingRow>[0] = {}) =>
      recordings.insert(recordingRow({ server_id, ...change }));
    const ids = async (filter: Parameters<typeof recordings.page>[0], paging = PAGE) =>
      (await recordings.page(filter, paging)).map(({ id }) => id);
    return { ...repositories, server_id, add, ids };
  }

  it('are stored as given, each with its own id', async () => {
    const { recordings, server_id, add } = await prepare();
    const open = await add();
    const closed = await add({ ...END, server_id: null, username: "O'Hara Ünï" });
    expect(open).toEqual({ id: 1, ...recordingRow({ server_id }) });
    expect(closed).toEqual({ id: 2, ...recordingRow({ ...END, server_id: null, username: "O'Hara Ünï" }) });
    expect(await recordings.byId(2)).toEqual(closed);
    expect(await recordings.byId(3)).toBeUndefined();
  });

  it('are refused for a deleted server', async () => {
    const { add } = await prepare();
    await expect(add({ server_id: 99 })).rejects.toMatchObject({ code: 'server_not_found' });
  });

  it('stay when their server is deleted', async () => {
    const { recordings, servers, server_id, add } = await prepare();
    const { id } = await add();
    await servers.remove(server_id);
    expect(await recordings.byId(id)).toEqual({ id, ...recordingRow({ server_id: null }) });
  });

  it('are paged by start and id, also when many start at once', async () => {
    const { recordings, add } = await prepare();
    const older = await add();
    const rows = [await add({ started_at: LATER }), await add({ started_at: LATER })];
    const [first, second] = rows;
    const after = async (before: typeof first) =>
      (await recordings.page(ALL, { ...PAGE, before })).map(({ id }) => id);
    expect(await after(second)).toEqual([first?.id, older.id]);
    expect(await after(first)).toEqual([older.id]);
    expect(await after(older)).toEqual([]);
  });

  it('are closed once', async () => {
    const { recordings, server_id, add } = await prepare();
    const { id } = await add();
    expect(await recordings.close(id, END)).toBe(true);
    expect(await recordings.close(id, { ...END, sha256: 'cd', status: 'interrupted' })).toBe(false);
    expect(await recordings.close(99, END)).toBe(false);
    expect(await recordings.byId(id)).toEqual({ id, ...recordingRow({ server_id, ...END }) });
  });

  it('are closed by one of two concurrent requests', async () => {
    const { recordings, add } = await prepare();
    const { id } = await add();
    const closed = await Promise.all([1, 2, 3].map(() => recordings.close(id, END)));
    expect(closed.filter(Boolean)).toHaveLength(1);
  });

  it('are closed again by their own instance, which had only seemed to be gone', async () => {
    const { recordings, add } = await prepare();
    const { id } = await add();
    await recordings.close(id, { ...END, sha256: 'cd', status: 'interrupted' });
    expect(await recordings.close(id, END)).toBe(true);
    expect(await recordings.byId(id)).toMatchObject(END);
  });

  it('are continued by another instance while they are open or interrupted, not once they are finished', async () => {
    const { recordings, server_id, add } = await prepare();
    const open = await add();
    const interrupted = await add({ ...END, status: 'interrupted' });
    const finished = await add(END);
    for (const { id } of [open, interrupted])
      expect(await recordings.adopt(id, 'next')).toEqual({
        id,
        ...recordingRow({ server_id, run_id: 'next' }),
      });
    expect(await recordings.adopt(finished.id, 'next')).toBeUndefined();
    expect(await recordings.adopt(99, 'next')).toBeUndefined();
  });

  it('are listed in pages, newest first', async () => {
    const { recordings, add, ids } = await prepare();
    for (const started_at of [AT, LATER, AT]) await add({ started_at });
    expect(await ids(ALL)).toEqual([2, 3, 1]);
    expect(await ids(ALL, { limit: 1, offset: 1 })).toEqual([3]);
    expect(await recordings.count(ALL)).toBe(3);
  });

  it('are found by user, server and name ignoring case', async () => {
    const { recordings, server_id, add, ids } = await prepare();
    await add();
    await add({ user_id: 8, username: 'ÜNÏ' });
    await add({ user_id: 8, username: 'ÜNÏ', server_id: null });
    expect(await ids({ user_id: 8 })).toEqual([3, 2]);
    expect(await ids({ ...ALL, server_id })).toEqual([2, 1]);
    expect(await ids({ ...ALL, username: 'ünï' })).toEqual([3, 2]);
    expect(await ids({ ...ALL, username: 'ün' })).toEqual([]);
    expect(await ids({ user_id: 8, server_id, username: 'Ünï' })).toEqual([2]);
    expect(await recordings.count({ user_id: 8, server_id })).toBe(1);
  });

  it('are found by a part of the names of server and user, taken literally', async () => {
    const { add, ids } = await prepare();
    await add({ server_name: 'Größe_1' });
    await add({ username: 'ann%' });
    expect(await ids({ ...ALL, search: 'GRÖSSE'.replace('SS', 'ß') })).toEqual([1]);
    expect(await ids({ ...ALL, search: '%' })).toEqual([2]);
    expect(await ids({ ...ALL, search: 'e_1' })).toEqual([1]);
    expect(await ids({ ...ALL, search: '' })).toEqual([2, 1]);
  });

  it('are found by the time they started: from this time, and before that', async () => {
    const { recordings, add, ids } = await prepare();
    for (const started_at of [AT, LATER]) await add({ started_at });
    expect(await ids({ ...ALL, from: AT })).toEqual([2, 1]);
    expect(await ids({ ...ALL, from: LATER })).toEqual([2]);
    expect(await ids({ ...ALL, to: LATER })).toEqual([1]);
    expect(await ids({ ...ALL, from: AT, to: AT })).toEqual([]);
    expect(await recordings.count({ ...ALL, from: LATER })).toBe(1);
  });

  it('are removed once', async () => {
    const { recordings, add } = await prepare();
    const { id } = await add();
    expect(await recordings.remove(id)).toBe(true);
    expect(await recordings.remove(id)).toBe(false);
    expect(await recordings.count(ALL)).toBe(0);
  });

  it('are orphans while they are open and their instance has ended, not while it is silent', async () => {
    const { recordings, instances, add } = await prepare();
    await instances.beat(instanceRow('one'), TTL_MS);
    await instances.beat(instanceRow('gone'), 0);
    for (const run_id of ['one', 'gone', 'nobody', 'gone']) await add({ run_id });
    await instances.beat(instanceRow('silent'), 0);
    await add({ run_id: 'silent' });
    await instances.remove('gone');
    const orphans = async (limit: number) => (await recordings.orphans(limit, null)).map(({ id }) => id);
    expect(await orphans(9)).toEqual([2, 3, 4]);
    expect(await orphans(1)).toEqual([2]);
    await recordings.close(2, { ...END, status: 'interrupted' });
    expect(await orphans(9)).toEqual([3, 4]);
  });

  it('are orphans of their own directory only, or of an unknown one', async () => {
    const { recordings, add } = await prepare();
    for (const directory_id of ['ours', 'theirs', null]) await add({ run_id: 'gone', directory_id });
    const orphans = async (directory_id: string | null) =>
      (await recordings.orphans(9, directory_id)).map(({ id }) => id);
    expect(await orphans('ours')).toEqual([1, 3]);
    expect(await orphans(null)).toEqual([3]);
  });

  it('to be removed later are hidden, and found by their directory until they are removed', async () => {
    const { recordings, instances, add, ids } = await prepare();
    await instances.beat(instanceRow('one'), TTL_MS);
    const row = { run_id: 'gone', directory_id: 'ours', status: 'finished' } as const;
    for (const change of [{}, { directory_id: 'theirs' }, { run_id: 'one', status: 'recording' } as const])
      await add({ ...row, ...change });
    expect(await recordings.removeLater(3, AT)).toBe(false); // in progress
    expect(await recordings.removeLater(1, AT)).toBe(true);
    expect(await recordings.removeLater(1, AT)).toBe(false);
    expect(await recordings.removeLater(2, AT)).toBe(true);
    expect(await recordings.byId(1)).toBeUndefined();
    expect([await ids(ALL), await recordings.count(ALL)]).toEqual([[3], 1]);
    const due = async () => (await recordings.toRemove(9, 'ours')).map(({ id }) => id);
    expect(await due()).toEqual([1]);
    await recordings.remove(1);
    expect(await due()).toEqual([]);
  });

  it('left open can be removed later, and are closed before', async () => {
    const { recordings, add } = await prepare();
    await add({ run_id: 'gone', directory_id: 'ours' });
    expect(await recordings.removeLater(1, AT)).toBe(true);
    expect(await recordings.toRemove(9, 'ours')).toEqual([]);
    expect((await recordings.orphans(9, 'ours')).map(({ id }) => id)).toEqual([1]);
    await recordings.close(1, { ...END, status: 'interrupted' });
    expect((await recordings.toRemove(9, 'ours')).map(({ id }) => id)).toEqual([1]);
  });

  it('wait for the store in their directory when they are over, unless another instance may still write them', async () => {
    const { recordings, instances, add } = await prepare();
    await instances.beat(instanceRow('one'), TTL_MS);
    const row = { run_id: 'gone', directory_id: 'ours', status: 'finished' } as const;
    await add(row);
    await add({ ...row, directory_id: 'theirs' });
    await add({ ...row, status: 'recording' });
    await add({ ...row, run_id: 'one' }); // of a running instance
    await add({ ...row, run_id: 'this' });
    await add(row);
    await recordings.removeLater(6, AT);
    const waiting = async (after_id: number, limit = 9) =>
      (await recordings.toStore(limit, { directory_id: 'ours', run_id: 'this', after_id })).map(
        ({ id }) => id,
      );
    expect([await waiting(0), await waiting(0, 1), await waiting(1)]).toEqual([[1, 5], [1], [5]]);
    expect(await recordings.moveTo(1, 'the store')).toBe(true);
    expect(await recordings.byId(1)).toMatchObject({ directory_id: 'the store', status: 'finished' });
    expect([await waiting(0), await recordings.moveTo(99, 'the store')]).toEqual([[5], false]);
  });
});
