import { expect, it } from 'vitest';
import { createAuditTrail } from '#core/audit/trail.ts';
import type { NewRecordingRow } from '#core/model/recording.ts';
import { createRecordingRetention } from '#core/recordings/retention.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { recordingRow } from '../../support/databases/rows.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';
import { auditInstance } from '../../support/features/audit.ts';

const NOW = '2026-03-31T00:00:00.000Z';
const FOREVER = new AbortController().signal;
const ALL = { user_id: undefined };
const PAGE = { limit: 1000, offset: 0 };
const OFF = { recording_retention_days: 0, recording_retention_bytes: 0 };

/** Ended on this day of March. */
const ended = (day: number): Partial<NewRecordingRow> => {
  const at = `2026-03-${String(day).padStart(2, '0')}T00:00:00.000Z`;
  return {
    ...{ started_at: at, ended_at: at, directory_id: 'ours' },
    size_bytes: 400_000,
    status: 'finished',
  };
};

describeEachStore('recording retention', (fresh) => {
  async function prepare(values: Partial<typeof OFF>) {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const { recordings, audit } = repositories;
    const clock = { now: () => new Date(NOW) };
    const trail = createAuditTrail({ chain: await auditInstance(store), clock });
    const files: string[] = [];
    const casts = { remove: async (path: string) => void files.push(path) };
    const settings = { values: { ...OFF, ...values } };
    const retention = createRecordingRetention({ repositories, casts, trail, settings, clock, log: silent });
    const add = (change: Partial<NewRecordingRow>) => recordings.insert(recordingRow(change));
    const left = async () => (await recordings.page(ALL, PAGE)).map(({ id }) => id).sort((a, b) => a - b);
    const entries = async () => audit.page({ action: 'recording_delete' }, PAGE);
    return {
      ...{ recordings, retention, add, left, entries, files },
      run: (signal = FOREVER) => retention.run(signal),
    };
  }

  it('removes recordings that ended longer ago, and says why in the audit log', async () => {
    const { recordings, add, run, left, entries } = await prepare({ recording_retention_days: 30 });
    await add({ ...ended(31), started_at: '2026-02-01T00:00:00.000Z' }); // still running a month later
    await add({ ...ended(1), ended_at: '2026-02-28T23:59:59.999Z', started_at: '2026-02-28T00:00:00.000Z' });
    await add(ended(1));
    await run();
    expect(await left()).toEqual([1, 3]);
    expect((await recordings.toRemove(9, 'ours')).map(({ id }) => id)).toEqual([2]);
    expect(await entries()).toMatchObject([
      {
        ...{ user_id: null, username: '' },
        detail: '#2 of Admin on alpha, started 2026-02-28T00:00:00.000Z: older than 30 days',
      },
    ]);
  });

  it('removes the oldest until the rest fits', async () => {
    const { add, run, left, entries } = await prepare({ recording_retention_bytes: 1_000_000 });
    for (const day of [4, 2, 1, 3]) await add(ended(day));
    await run();
    expect(await left()).toEqual([1, 4]);
    expect((await entries()).map(({ detail }) => detail)).toEqual([
      '#2 of Admin on alpha, started 2026-03-02T00:00:00.000Z: beyond 1000000 bytes in all',
      '#3 of Admin on alpha, started 2026-03-01T00:00:00.000Z: beyond 1000000 bytes in all',
    ]);
    await run();
    expect(await left()).toEqual([1, 4]); // what is hidden no longer counts
  });

  it('removes nothing while the rest is exactly as large, and nothing without limits', async () => {
    const exact = await prepare({ recording_retention_bytes: 1_200_000 });
    for (const day of [1, 2, 3]) await exact.add(ended(day));
    await exact.run();
    expect(await exact.left()).toEqual([1, 2, 3]);
    const off = await prepare({});
    await off.add({
      ...ended(1),
      started_at: '2001-01-01T00:00:00.000Z',
      ended_at: '2001-01-01T00:00:00.000Z',
    });
    await off.run();
    expect(await off.left()).toEqual([1]);
  });

  it('keeps recordings in progress', async () => {
    const { add, run, left } = await prepare({
      recording_retention_days: 1,
      recording_retention_bytes: 1_000_000,
    });
    await add({ started_at: '2026-01-01T00:00:00.000Z', status: 'recording' });
    await add({ ...ended(1), size_bytes: 2_000_000 });
    await run();
    expect(await left()).toEqual([1]);
  });

  it('removes more than one slice', async () => {
    const { add, run, left, entries } = await prepare({ recording_retention_days: 30 });
    for (let i = 0; i < 201; i += 1)
      await add({
        ...ended(1),
        started_at: '2026-01-01T00:00:00.000Z',
        ended_at: '2026-01-02T00:00:00.000Z',
      });
    await run();
    expect(await left()).toEqual([]);
    expect(await entries()).toHaveLength(201);
  });

  it('deletes the file of a recording of an older version itself', async () => {
    const { recordings, add, run, files } = await prepare({ recording_retention_days: 10 });
    await add({ ...ended(1), directory_id: null, file_path: 'old.cast' });
    await run();
    expect([files, await recordings.byId(1)]).toEqual([['old.cast'], undefined]);
  });

  it('stops with the gateway, and does not record what somebody else removed', async () => {
    const { recordings, retention, add, left, entries } = await prepare({ recording_retention_days: 10 });
    for (const day of [1, 2]) await add(ended(day));
    await retention.run(AbortSignal.abort());
    expect(await left()).toEqual([1, 2]);
    await recordings.removeLater(1, NOW);
    await retention.run(FOREVER);
    expect((await entries()).map(({ detail }) => detail.slice(0, 2))).toEqual(['#2']);
  });
});
