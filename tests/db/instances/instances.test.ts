import { afterEach, expect, it, vi } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { instanceRow, TTL_MS } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('instances', (fresh) => {
  afterEach(() => vi.useRealTimers());

  async function prepare() {
    const store = await fresh.migrated();
    const rows = () => store.db.select().from(store.tables.instances).orderBy(store.tables.instances.run_id);
    const runs = async () => (await rows()).map(({ run_id }) => run_id);
    return { instances: createRepositories(store).instances, rows, runs };
  }

  it('are registered for the requested time and renewed', async () => {
    const { instances, rows, runs } = await prepare();
    expect(await instances.beat(instanceRow('one'), 0)).toBe(false);
    expect(await instances.beat(instanceRow('two'), 0)).toBe(false);
    expect(await instances.beat(instanceRow('one'), TTL_MS)).toBe(false);
    expect(await instances.beat(instanceRow('one'), TTL_MS)).toBe(true);
    expect(await rows()).toMatchObject([instanceRow('one'), instanceRow('two')]);
    const [silent, ...others] = await instances.silent();
    expect({ silent, others }).toMatchObject({ silent: instanceRow('two'), others: [] });
    expect(silent?.silent_ms).toBeGreaterThanOrEqual(0);
    expect(silent?.silent_ms).toBeLessThan(60_000);
    expect(await runs()).toEqual(['one', 'two']);
  });

  it('are removed for their silence only while it lasts', async () => {
    const { instances, runs } = await prepare();
    for (const run_id of ['one', 'two', 'three']) await instances.beat(instanceRow(run_id), 0);
    await instances.beat(instanceRow('one'), TTL_MS);
    await instances.removeSilent(['one', 'two']);
    expect(await runs()).toEqual(['one', 'three']);
  });

  it('count as silent when somebody doubts them, until their next heartbeat', async () => {
    const { instances } = await prepare();
    await instances.beat(instanceRow('one'), TTL_MS);
    await instances.doubt('one');
    expect(await instances.silent()).toMatchObject([{ run_id: 'one' }]);
    expect(await instances.beat(instanceRow('one'), TTL_MS)).toBe(false);
    expect(await instances.silent()).toEqual([]);
  });

  it('are timed by the clock of the database', async () => {
    const { instances, runs } = await prepare();
    await instances.beat(instanceRow('one'), TTL_MS);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 });
    expect(await instances.silent()).toEqual([]);
    expect(await runs()).toEqual(['one']);
  });

  it('remove earlier instances at their address on this machine, and no others', async () => {
    const { instances, runs } = await prepare();
    const again = { ...instanceRow('one'), run_id: 'one again' };
    const elsewhere = { ...again, run_id: 'one elsewhere', machine: 'another' };
    const all = [instanceRow('one'), instanceRow('two'), again, elsewhere];
    for (const row of all) await instances.beat(row, TTL_MS);
    await instances.supersede(again);
    expect(await runs()).toEqual(['one again', 'one elsewhere', 'two']);
  });

  it('are removed when they stop', async () => {
    const { instances, runs } = await prepare();
    for (const row of [instanceRow('one'), instanceRow('two')]) await instances.beat(row, TTL_MS);
    await instances.remove('one');
    expect(await runs()).toEqual(['two']);
  });
});
