import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, LATER, serverRow, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const MUCH_LATER = '2026-01-03T03:04:05.678Z';
const KEPT = { connection_sealed: 'v2:key:nonce:text', created_at: AT, next_at: LATER };

function uploadRow(server_id: number, id: string) {
  const paths = { part_path: `/srv/${id}.part`, target_path: '/srv/a', shown_path: '/srv/a' };
  const times = { created_at: AT, expires_at: LATER };
  return { id, user_id: 1, server_id, ...paths, length: null, overwrite: true, metadata: '', ...times };
}

describeEachStore('part removals', (fresh) => {
  /** A deleted server with this many unfinished uploads. */
  async function prepare(uploads: number) {
    const repositories = createRepositories(await fresh.migrated());
    const { part_removals: removals, servers } = repositories;
    const other = await servers.insert(serverRow({ name: 'other' }));
    await repositories.uploads.insert(uploadRow(other.id, 'kept'));
    const { id } = await servers.insert(serverRow({ name: 'gone' }));
    for (let n = 0; n < uploads; n += 1) await repositories.uploads.insert(uploadRow(id, `u${n}`));
    expect(await repositories.uploads.countAt(id)).toBe(uploads);
    expect(await servers.remove(id, undefined, KEPT)).toBe(true);
    return { repositories, removals, id, other };
  }

  it('keeps the connection and the paths of unfinished uploads when their server is deleted', async () => {
    const { removals, id, repositories, other } = await prepare(2);
    const row = { server_id: id, server_name: 'gone', failures: 0, ...KEPT };
    expect(await removals.byServer(id)).toEqual(row);
    expect(await removals.parts(id)).toEqual([
      { id: 'u0', part_path: '/srv/u0.part' },
      { id: 'u1', part_path: '/srv/u1.part' },
    ]);
    expect(await repositories.uploads.countAt(other.id)).toBe(1);
  });

  it('keeps no connection when nothing is unfinished, or nothing was deleted', async () => {
    const { removals, id, repositories } = await prepare(0);
    expect(await removals.byServer(id)).toBeUndefined();
    expect(await repositories.servers.remove(id, undefined, KEPT)).toBe(false);
  });

  it('changes nothing when the deletion is refused', async () => {
    const { removals, repositories, other } = await prepare(0);
    await repositories.servers.insert(serverRow({ jump_via_id: other.id }));
    await expect(repositories.servers.remove(other.id, undefined, KEPT)).rejects.toMatchObject({
      code: 'jump_host_in_use',
    });
    expect(await removals.byServer(other.id)).toBeUndefined();
    expect(await repositories.uploads.find('kept')).toBeDefined();
  });

  it('takes what is due, once', async () => {
    const { removals, id } = await prepare(1);
    const take = (now: string) => removals.takeDue({ now, again_at: MUCH_LATER, limit: 5 });
    expect(await take(AT)).toEqual([]);
    expect(await take(LATER)).toMatchObject([{ server_id: id, next_at: MUCH_LATER }]);
    expect(await take(LATER)).toEqual([]);
    expect(await removals.postpone(id, { failures: 3, next_at: LATER })).toBe(true);
    expect(await take(LATER)).toMatchObject([{ server_id: id, failures: 3 }]);
  });

  it('forgets parts one by one, and the rest with the connection', async () => {
    const { removals, id } = await prepare(2);
    await removals.removePart('u0');
    expect(await removals.parts(id)).toMatchObject([{ id: 'u1' }]);
    expect([await removals.end(id), await removals.end(id)]).toEqual([true, false]);
    expect(await removals.parts(id)).toEqual([]);
    expect(await removals.postpone(id, { failures: 1, next_at: LATER })).toBe(false);
  });

  it('misses no upload that begins while its server is deleted', async () => {
    const [near, far] = await twoInstances(fresh);
    for (let n = 0; n < 10; n += 1) {
      const { id } = await near.servers.insert(serverRow());
      await near.uploads.insert(uploadRow(id, `first ${n}`));
      const begun = far.uploads.insert(uploadRow(id, `late ${n}`)).then(
        () => 2,
        () => 1,
      );
      const [, count] = await Promise.all([near.servers.remove(id, undefined, KEPT), begun]);
      expect(await near.part_removals.parts(id)).toHaveLength(count);
    }
  });
});
