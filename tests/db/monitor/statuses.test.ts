import postgres from 'postgres';
import { expect, it, vi } from 'vitest';
import { uncheckedRow } from '#core/model/hosts/server-status.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import {
  importedRow,
  LATER,
  LIMITS,
  serverRow,
  statusRow,
  twoInstances,
} from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const insertServers = ({ servers }: Pick<Repositories, 'servers'>, length: number) =>
  servers.insertAll(Array.from({ length }, () => importedRow()));

describeEachStore('server statuses', (fresh) => {
  async function prepare(count = 3) {
    const repositories = createRepositories(await fresh.migrated());
    await insertServers(repositories, count);
    return repositories;
  }

  it('are stored as given', async () => {
    const { server_statuses } = await prepare();
    const offline = statusRow(2, {
      status: 'offline',
      last_checked: LATER,
      latency_ms: null,
      error: 'The host refused "root"\'s password',
      host_key_verified: false,
      refused_at: LATER,
      refused_as: '[null,"h.example"]',
      refused_error: 'The host refused "root"\'s password',
    });
    const unchecked = statusRow(3, { status: 'unchecked', last_checked: null, host_key_verified: null });
    const rows = [statusRow(1), offline, unchecked];
    await server_statuses.save(rows);
    for (const row of rows) expect(await server_statuses.byServer(row.server_id)).toEqual(row);
    expect(await server_statuses.byServer(4)).toBeUndefined();
  });

  it('replace earlier results', async () => {
    const { server_statuses } = await prepare();
    await server_statuses.save([statusRow(1, { error: 'old', refused_at: LATER }), statusRow(2)]);
    await server_statuses.save([statusRow(1, { status: 'offline', latency_ms: 0.25 })]);
    expect(await server_statuses.byServer(1)).toEqual(statusRow(1, { status: 'offline', latency_ms: 0.25 }));
    expect(await server_statuses.byServer(2)).toEqual(statusRow(2));
  });

  it('are listed with their groups, limited to what a caller may see', async () => {
    const { servers, server_statuses } = createRepositories(await fresh.migrated());
    for (const group of ['web', 'db', '']) await servers.insert(serverRow({ group }));
    await server_statuses.save([statusRow(1), statusRow(2), statusRow(3)]);
    const groups = async (visible: 'all' | string[]) =>
      (await server_statuses.list(visible)).map((row) => [row.server_id, row.group]).sort();
    expect(await groups('all')).toEqual([
      [1, 'web'],
      [2, 'db'],
      [3, ''],
    ]);
    expect(await groups(['db', 'gone'])).toEqual([[2, 'db']]);
    expect(await groups([])).toEqual([]);
    expect(await server_statuses.list(['web'])).toEqual([{ ...statusRow(1), group: 'web' }]);
  });

  it('list a server that was never checked as unchecked', async () => {
    const { server_statuses } = await prepare(1);
    expect(await server_statuses.list('all')).toEqual([{ ...uncheckedRow(1), group: 'web' }]);
  });

  it('leave out deleted servers, and are removed with the server', async () => {
    const { servers, server_statuses } = await prepare();
    await servers.remove(2);
    await server_statuses.save([statusRow(1), statusRow(2), statusRow(3), statusRow(99)]);
    expect((await server_statuses.list('all')).map((row) => row.server_id).sort()).toEqual([1, 3]);
    expect(await server_statuses.byServer(2)).toBeUndefined();
    await servers.remove(3);
    expect(await server_statuses.byServer(3)).toBeUndefined();
  });

  it('of one save share the next revision', async () => {
    const { server_statuses } = await prepare();
    expect(await server_statuses.since(0)).toEqual({ revision: 0, rows: [] });
    await server_statuses.save([statusRow(1), statusRow(2)]);
    await server_statuses.save([statusRow(2, { status: 'offline' }), statusRow(3)]);
    const after = async (revision: number) => {
      const found = await server_statuses.since(revision);
      return [found.revision, ...found.rows.map((row) => row.server_id).sort()];
    };
    expect(await after(0)).toEqual([2, 1, 2, 3]);
    expect(await after(1)).toEqual([2, 2, 3]);
    expect(await after(2)).toEqual([2]);
    await server_statuses.save([]);
    expect(await after(2)).toEqual([2]);
    const [row] = (await server_statuses.since(1)).rows.filter(({ server_id }) => server_id === 2);
    expect(row).toEqual({ ...statusRow(2, { status: 'offline' }), group: 'web' });
  });

  it('never reuse a revision, even when the server with the last one is removed', async () => {
    const { servers, server_statuses } = await prepare();
    await server_statuses.save([statusRow(1)]);
    await server_statuses.save([statusRow(2)]);
    await servers.remove(2);
    expect(await server_statuses.since(2)).toEqual({ revision: 2, rows: [] });
    await server_statuses.save([statusRow(3)]);
    const { revision, rows } = await server_statuses.since(2);
    expect([revision, ...rows.map((row) => row.server_id)]).toEqual([3, 3]);
  });

  it('keep the last of several for one server', async () => {
    const { server_statuses } = await prepare();
    await server_statuses.save([statusRow(1), statusRow(2), statusRow(1, { status: 'offline' })]);
    expect((await server_statuses.byServer(1))?.status).toBe('offline');
  });

  it('may be thousands at once', async () => {
    const { server_statuses } = await prepare(1_200);
    await server_statuses.save(Array.from({ length: 1_200 }, (_, i) => statusRow(i + 1)));
    const { revision, rows } = await server_statuses.since(0);
    expect([revision, rows.length]).toEqual([1, 1_200]);
  });

  it('are due without a row, and when the last check is old enough', async () => {
    const { servers, server_statuses } = await prepare();
    await server_statuses.save([statusRow(1), statusRow(3, { last_checked: null })]);
    expect((await server_statuses.unchecked()).sort()).toEqual([2, 3]);
    await servers.remove(2);
    await server_statuses.save([statusRow(3, { status: 'offline' })]);
    expect(await server_statuses.unchecked()).toEqual([]);
  });

  it('stay when the server is edited', async () => {
    const { servers, server_statuses } = await prepare(1);
    await server_statuses.save([statusRow(1)]);
    await servers.update(1, { group: 'db', hostname: 'beta.test' }, LIMITS);
    expect(await server_statuses.list('all')).toEqual([{ ...statusRow(1), group: 'db' }]);
  });
});

describeEachStore('server statuses that are saved at once', (fresh) => {
  it('are read in the order of their revisions without gaps', async () => {
    const [one, two] = await twoInstances(fresh);
    await insertServers(one, 20);
    const seen = new Map<number, number | null>();
    let revision = 0;
    let last = false;
    const follow = async () => {
      while (!last) {
        const next = await two.server_statuses.since(revision);
        expect(next.revision).toBeGreaterThanOrEqual(revision);
        for (const row of next.rows) seen.set(row.server_id, row.latency_ms);
        revision = next.revision;
        await new Promise(setImmediate);
      }
    };
    const following = follow();
    const saves = Array.from({ length: 60 }, (_, i) => {
      const { server_statuses } = i % 2 ? one : two;
      return server_statuses.save([statusRow((i % 20) + 1, { latency_ms: i })]);
    });
    await Promise.all(saves);
    last = true;
    await following;
    const final = await two.server_statuses.since(revision);
    for (const row of final.rows) seen.set(row.server_id, row.latency_ms);
    expect(final.revision).toBe(60);
    const stored = await one.server_statuses.list('all');
    expect(seen).toEqual(new Map(stored.map((row) => [row.server_id, row.latency_ms])));
    expect(stored).toHaveLength(20);
  });

  it('lose only the one whose server is removed at the same time', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 0; round < 20; round += 1) {
      const [a, b, c] = await insertServers(one, 3);
      if (!a || !b || !c) throw new Error('Three servers were inserted');
      await Promise.all([
        one.server_statuses.save([a, b, c].map(({ id }) => statusRow(id))),
        two.servers.remove(b.id),
      ]);
      const kept = await Promise.all([a, b, c].map(({ id }) => one.server_statuses.byServer(id)));
      expect(kept).toEqual([statusRow(a.id), undefined, statusRow(c.id)]);
    }
  });

  it.runIf(fresh.dialect === 'postgres')('wait for a removal that has begun', async () => {
    const url = await fresh.url();
    const repositories = createRepositories(await fresh.migrated(url));
    await insertServers(repositories, 3);
    const other = postgres(url, { max: 2 });
    const saving = await other.begin(async (tx) => {
      await tx`delete from servers where id = 2`;
      const saved = repositories.server_statuses.save([statusRow(1), statusRow(2), statusRow(3)]);
      await vi.waitUntil(async () => (await other`select from pg_locks where not granted`).length > 0);
      return { saved };
    });
    await saving.saved;
    await other.end();
    expect((await repositories.server_statuses.list('all')).map((row) => row.server_id)).toEqual([1, 3]);
  });
});
