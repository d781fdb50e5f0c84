import { afterEach, expect, it, vi } from 'vitest';
import type { MonitorLeaseRepository } from '#core/ports/repositories/monitor.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const TTL_MS = 90_000;
const EXPIRED = { is_ours: false, expires_in_ms: 0 };

const hold = (lease: MonitorLeaseRepository, run_id: string, ttl_ms = TTL_MS) =>
  lease.hold({ run_id, instance_id: `instance of ${run_id}`, ttl_ms });

describeEachStore('the monitor lease', (fresh) => {
  afterEach(() => vi.useRealTimers());

  async function prepare() {
    const store = await fresh.migrated();
    const rows = () => store.db.select().from(store.tables.monitor_lease);
    return { lease: createRepositories(store).monitor_lease, rows };
  }

  it('is taken when free, for the requested time', async () => {
    const { lease, rows } = await prepare();
    const { is_ours, expires_in_ms } = await hold(lease, 'a');
    expect(is_ours).toBe(true);
    expect(expires_in_ms).toBeLessThanOrEqual(TTL_MS + 1); // SQLite's clock has whole milliseconds.
    expect(expires_in_ms).toBeGreaterThan(TTL_MS - 10_000);
    const [row] = await rows();
    expect(row).toMatchObject({ id: 1, run_id: 'a', instance_id: 'instance of a' });
    expect(row?.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is not taken from another run, and the caller learns how long it lasts', async () => {
    const { lease, rows } = await prepare();
    await hold(lease, 'a');
    const before = await rows();
    const { is_ours, expires_in_ms } = await hold(lease, 'b', 1);
    expect(is_ours).toBe(false);
    expect(expires_in_ms).toBeGreaterThan(TTL_MS - 10_000);
    expect(await rows()).toEqual(before);
  });

  it('is renewed by its holder, even after it has expired', async () => {
    const { lease } = await prepare();
    await hold(lease, 'a', 30_000);
    expect((await hold(lease, 'a')).expires_in_ms).toBeGreaterThan(60_000);
    expect(await hold(lease, 'a', 0)).toEqual({ ...EXPIRED, is_ours: true });
    expect(await hold(lease, 'a')).toMatchObject({ is_ours: true });
  });

  it('is taken by another run once it has expired', async () => {
    const { lease, rows } = await prepare();
    await hold(lease, 'a', 0);
    expect(await hold(lease, 'b')).toMatchObject({ is_ours: true });
    expect(await rows()).toMatchObject([{ run_id: 'b', instance_id: 'instance of b' }]);
    expect(await hold(lease, 'a')).toMatchObject({ is_ours: false });
  });

  it('is taken when the clock was set back, for its holder may be gone', async () => {
    const { lease } = await prepare();
    await hold(lease, 'a', TTL_MS + 3_600_000);
    expect(await hold(lease, 'b')).toMatchObject({ is_ours: true });
  });

  it('is released only by its holder', async () => {
    const { lease } = await prepare();
    await lease.release('a');
    await hold(lease, 'a');
    await lease.release('b');
    expect(await hold(lease, 'b')).toMatchObject({ is_ours: false });
    await lease.release('a');
    expect(await hold(lease, 'b')).toMatchObject({ is_ours: true });
  });

  it.each([
    ['fast', 24],
    ['slow', -24],
  ])('is not lost to an instance whose clock is %s', async (_what, hours) => {
    const { lease } = await prepare();
    const before = await hold(lease, 'a');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
    const skewed = await hold(lease, 'b');
    expect(skewed.is_ours).toBe(false);
    expect(skewed.expires_in_ms).toBeLessThanOrEqual(before.expires_in_ms + 1);
    expect(skewed.expires_in_ms).toBeGreaterThan(TTL_MS - 10_000);
    expect(await hold(lease, 'a')).toMatchObject({ is_ours: true });
  });

  it('goes to one of several concurrent instances, whether free or expired', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 0; round < 15; round += 1) {
      const runs = ['a', 'b', 'c', 'd'].map((run) => `${run} ${round}`);
      const answers = await Promise.all(runs.map((run, i) => hold((i % 2 ? one : two).monitor_lease, run)));
      expect(answers.filter(({ is_ours }) => is_ours)).toHaveLength(1);
      const holder = runs[answers.findIndex(({ is_ours }) => is_ours)] ?? '';
      if (round % 2) await one.monitor_lease.release(holder);
      else await hold(one.monitor_lease, holder, 0);
    }
  });
});
