import { expect, it } from 'vitest';
import type { UploadRow } from '#core/model/files/upload.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, LATER, serverRow, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const MUCH_LATER = '2026-01-03T03:04:05.678Z';
const USER = 7; // A deleted server has uploads too.

function uploadRow(server_id: number, change: Partial<UploadRow> = {}): UploadRow {
  return {
    id: 'upload',
    user_id: USER,
    server_id,
    part_path: '/srv/.sallyport-abcdefghijkl.part',
    target_path: '/srv/a "b" ünï\n',
    shown_path: '/link/a "b" ünï\n',
    length: 5,
    overwrite: false,
    metadata: 'filename YQ==',
    created_at: AT,
    expires_at: LATER,
    ...change,
  };
}

const take = (repositories: Repositories, now: string, more: { server_id?: number; limit?: number } = {}) =>
  repositories.uploads.takeExpired({ now, again_at: MUCH_LATER, limit: 100, ...more });

describeEachStore('uploads', (fresh) => {
  async function prepare() {
    const repositories = createRepositories(await fresh.migrated());
    const server = await repositories.servers.insert(serverRow());
    return { repositories, uploads: repositories.uploads, server_id: server.id };
  }

  it('returns what was stored', async () => {
    const { uploads, server_id } = await prepare();
    const largest = uploadRow(server_id, { length: Number.MAX_SAFE_INTEGER, overwrite: true });
    const in_one_go = uploadRow(server_id, { id: 'other', length: null });
    for (const row of [largest, in_one_go]) await uploads.insert(row);
    expect(await uploads.find('upload')).toEqual(largest);
    expect(await uploads.find('other')).toEqual(in_one_go);
    expect(await uploads.find('unknown')).toBeUndefined();
  });

  it('refuses an upload to a deleted server', async () => {
    const { uploads } = await prepare();
    await expect(uploads.insert(uploadRow(99))).rejects.toMatchObject({
      name: 'Fault',
      code: 'server_not_found',
    });
  });

  it('keeps a finished upload for answers only, until its time is over', async () => {
    const { repositories, uploads, server_id } = await prepare();
    const row = uploadRow(server_id);
    await uploads.insert(row);
    await uploads.finish(row.id, LATER);
    expect(await uploads.finished(row.id, AT)).toEqual(row);
    expect(await uploads.finished(row.id, LATER)).toBeUndefined();
    expect(await uploads.find(row.id)).toBeUndefined();
    expect(await uploads.countOf(USER, AT)).toBe(0);
    expect(await uploads.extend(row.id, MUCH_LATER)).toBe(false);
    expect(await take(repositories, MUCH_LATER)).toEqual([]);
    await uploads.removeFinished(AT);
    expect(await uploads.finished(row.id, AT)).toEqual(row);
    await uploads.removeFinished(LATER);
    expect(await uploads.finished(row.id, AT)).toBeUndefined();
  });

  it('forgets a finished upload that is removed, or whose server is', async () => {
    const { repositories, uploads, server_id } = await prepare();
    for (const id of ['a', 'b']) {
      await uploads.insert(uploadRow(server_id, { id }));
      await uploads.finish(id, LATER);
    }
    await uploads.remove('a');
    expect(await uploads.finished('a', AT)).toBeUndefined();
    await repositories.servers.remove(server_id);
    expect(await uploads.finished('b', AT)).toBeUndefined();
  });

  it('is removed with its server', async () => {
    const { repositories, uploads, server_id } = await prepare();
    await uploads.insert(uploadRow(server_id));
    await repositories.servers.remove(server_id);
    expect(await uploads.find('upload')).toBeUndefined();
  });

  it('lists and counts the user’s resumable uploads, oldest first', async () => {
    const { repositories, uploads, server_id } = await prepare();
    const elsewhere = await repositories.servers.insert(serverRow());
    const rows = [
      uploadRow(server_id, { id: 'newer', created_at: LATER, expires_at: MUCH_LATER }),
      uploadRow(server_id, { id: 'older', expires_at: MUCH_LATER }),
      uploadRow(server_id, { id: 'in one go', length: null, expires_at: MUCH_LATER }),
      uploadRow(server_id, { id: 'expired', expires_at: LATER }),
      uploadRow(server_id, { id: 'of another', user_id: 8, expires_at: MUCH_LATER }),
      uploadRow(elsewhere.id, { id: 'elsewhere', expires_at: MUCH_LATER }),
    ];
    for (const row of rows) await uploads.insert(row);
    expect((await uploads.listOf(USER, server_id, LATER)).map(({ id }) => id)).toEqual(['older', 'newer']);
    expect(await uploads.countOf(USER, LATER)).toBe(3);
    expect(await uploads.countOf(9, LATER)).toBe(0);
  });

  it('is kept for longer while it continues', async () => {
    const { uploads, server_id } = await prepare();
    await uploads.insert(uploadRow(server_id));
    expect(await uploads.extend('upload', MUCH_LATER)).toBe(true);
    expect(await uploads.find('upload')).toMatchObject({ expires_at: MUCH_LATER });
    await uploads.remove('upload');
    expect(await uploads.extend('upload', MUCH_LATER)).toBe(false);
  });

  it('cannot continue once it was taken for cleaning', async () => {
    const { repositories, uploads, server_id } = await prepare();
    await uploads.insert(uploadRow(server_id));
    expect(await take(repositories, AT)).toEqual([]);
    expect(await take(repositories, LATER)).toEqual([uploadRow(server_id, { expires_at: MUCH_LATER })]);
    expect(await uploads.find('upload')).toBeUndefined();
    expect(await uploads.extend('upload', MUCH_LATER)).toBe(false);
    expect(await uploads.listOf(USER, server_id, AT)).toEqual([]);
    expect(await uploads.countOf(USER, AT)).toBe(0);
  });

  it('is taken again when cleaning failed', async () => {
    const { repositories, uploads, server_id } = await prepare();
    await uploads.insert(uploadRow(server_id));
    await take(repositories, LATER);
    expect(await take(repositories, LATER)).toEqual([]);
    expect(await take(repositories, MUCH_LATER)).toHaveLength(1);
    await uploads.remove('upload');
    expect(await take(repositories, MUCH_LATER)).toEqual([]);
  });

  it('takes uploads of one server only, up to the limit, longest expired first', async () => {
    const { repositories, uploads, server_id } = await prepare();
    const elsewhere = await repositories.servers.insert(serverRow());
    await uploads.insert(uploadRow(elsewhere.id, { id: 'elsewhere', expires_at: AT }));
    await uploads.insert(uploadRow(server_id, { id: 'second' }));
    await uploads.insert(uploadRow(server_id, { id: 'first', expires_at: AT }));
    const taken = async (limit: number) =>
      (await take(repositories, LATER, { server_id, limit })).map(({ id }) => id);
    expect(await taken(1)).toEqual(['first']);
    expect(await taken(9)).toEqual(['second']);
    expect(await take(repositories, LATER)).toMatchObject([{ id: 'elsewhere' }]);
  });

  it('is taken by one of several instances at once', async () => {
    const instances = await twoInstances(fresh);
    const { id: server_id } = await instances[0].servers.insert(serverRow());
    for (let round = 0; round < 10; round += 1) {
      const ids = Array.from({ length: 20 }, (_, i) => `${round}-${i}`);
      for (const id of ids) await instances[0].uploads.insert(uploadRow(server_id, { id }));
      const taken = await Promise.all(
        [...instances, ...instances].map((one) => take(one, LATER, { limit: 15 })),
      );
      const left = await take(instances[1], LATER);
      const all = [...taken.flat(), ...left].map(({ id }) => id);
      expect(all.sort()).toEqual(ids.sort());
    }
  });
});
