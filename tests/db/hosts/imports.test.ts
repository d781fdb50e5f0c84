import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { importedRow, LATER, LIMITS, serverRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const UNKNOWN = { code: 'jump_host_unknown' };

describeEachStore('imported servers', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated()).servers;

  it('are stored in the order given, each with its own id', async () => {
    const servers = await prepare();
    await servers.insert(serverRow());
    const rows = ['c', 'a', 'b'].map((name) => serverRow({ name, record_sessions: true, created_at: LATER }));
    const created = await servers.insertAll(rows.map((row) => importedRow(row)));
    expect(created).toEqual(rows.map((row, i) => ({ id: i + 2, ...row })));
    expect(await servers.byIds([2, 3, 4])).toEqual(created);
    expect(await servers.insertAll([])).toEqual([]);
  });

  it('jump through others of the list, before or after them, or through an existing server', async () => {
    const servers = await prepare();
    const bastion = await servers.insert(serverRow());
    const created = await servers.insertAll([
      importedRow({ jump_via_index: 2 }),
      importedRow({ jump_via_id: bastion.id }),
      importedRow({ jump_via_index: 1, jump_via_id: 4711 }),
      importedRow(),
    ]);
    const [, second, third] = created;
    expect(created.map((row) => row.jump_via_id)).toEqual([third?.id, bastion.id, second?.id, null]);
  });

  it('do not jump through servers of an earlier import', async () => {
    const servers = await prepare();
    const rows = [importedRow(), importedRow({ jump_via_index: 0 })];
    await servers.insertAll(rows);
    const [first, second] = await servers.insertAll(rows);
    expect(second?.jump_via_id).toBe(first?.id);
    expect(await servers.list()).toHaveLength(4);
  });

  it.each([
    ['is not there', { jump_via_id: 4711 }],
    ['is not in the list', { jump_via_index: 1_200 }],
  ])('are all refused when the jump host of one %s', async (_what, jump) => {
    const servers = await prepare();
    const rows = Array.from({ length: 1_200 }, (_, i) => importedRow(i === 1_199 ? jump : {}));
    await expect(servers.insertAll(rows)).rejects.toMatchObject(UNKNOWN);
    expect(await servers.list()).toEqual([]);
  });

  it('may be a chain of 5,000', async () => {
    const servers = await prepare();
    const rows = Array.from({ length: 5_000 }, (_, i) =>
      importedRow({ name: `server ${i}`, jump_via_index: i % 8 ? i - 1 : undefined }),
    );
    const created = await servers.insertAll(rows);
    expect(created.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
    expect(created.map((row) => row.jump_via_id)).toEqual(
      rows.map(({ jump_via_index: index }) => (index === undefined ? null : created[index]?.id)),
    );
  });

  it('are changed and removed like any other server', async () => {
    const servers = await prepare();
    const [first, second] = await servers.insertAll([importedRow(), importedRow({ jump_via_index: 0 })]);
    if (!first || !second) throw new Error('Two servers were imported');
    await expect(servers.remove(first.id)).rejects.toMatchObject({ code: 'jump_host_in_use' });
    await servers.update(second.id, { jump_via_id: null }, LIMITS);
    expect(await servers.remove(first.id)).toBe(true);
  });
});
