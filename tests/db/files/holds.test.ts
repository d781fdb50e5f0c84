import { afterEach, expect, it, vi } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const TTL_MS = 90_000;

describeEachStore('holds', (fresh) => {
  afterEach(() => vi.useRealTimers());

  async function prepare() {
    const store = await fresh.migrated();
    const rows = () => store.db.select().from(store.tables.holds);
    return { holds: createRepositories(store).holds, rows };
  }

  it('gives a free key to one holder at a time', async () => {
    const { holds } = await prepare();
    expect(await holds.take('file:1:/a', 'one', TTL_MS)).toBe(true);
    expect(await holds.take('file:1:/a', 'two', TTL_MS)).toBe(false);
    expect(await holds.take('file:1:/b', 'two', TTL_MS)).toBe(true);
  });

  it('is renewed by its holder, even after it has expired', async () => {
    const { holds, rows } = await prepare();
    await holds.take('key', 'one', 0);
    expect(await holds.take('key', 'one', TTL_MS)).toBe(true);
    expect(await holds.take('key', 'two', TTL_MS)).toBe(false);
    expect(await rows()).toMatchObject([{ key: 'key', holder: 'one' }]);
  });

  it('is not renewed once it has been claimed, and passes on when it is released', async () => {
    const { holds } = await prepare();
    await holds.take('key', 'one', TTL_MS);
    await holds.claim('key');
    expect(await holds.take('key', 'one', TTL_MS)).toBe(false);
    expect(await holds.take('key', 'two', TTL_MS)).toBe(false);
    await holds.release('key', 'one');
    expect(await holds.take('key', 'two', TTL_MS)).toBe(true);
    expect(await holds.take('key', 'two', TTL_MS)).toBe(true);
  });

  it('passes to another holder once it has expired', async () => {
    const { holds } = await prepare();
    await holds.take('key', 'one', 0);
    expect(await holds.take('key', 'two', TTL_MS)).toBe(true);
    expect(await holds.take('key', 'one', TTL_MS)).toBe(false);
  });

  it('is released only by its holder', async () => {
    const { holds } = await prepare();
    await holds.take('key', 'one', TTL_MS);
    await holds.release('key', 'two');
    expect(await holds.take('key', 'two', TTL_MS)).toBe(false);
    await holds.release('key', 'one');
    expect(await holds.take('key', 'two', TTL_MS)).toBe(true);
  });

  it('removes expired holds and keeps the rest', async () => {
    const { holds, rows } = await prepare();
    await holds.take('old', 'one', 0);
    await holds.take('new', 'one', TTL_MS);
    await holds.removeExpired();
    expect(await rows()).toMatchObject([{ key: 'new' }]);
  });

  it.each([
    ['fast', 24],
    ['slow', -24],
  ])('is not lost to an instance whose clock is %s', async (_what, hours) => {
    const { holds } = await prepare();
    await holds.take('key', 'one', TTL_MS);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
    expect(await holds.take('key', 'two', TTL_MS)).toBe(false);
    await holds.removeExpired();
    expect(await holds.take('key', 'two', TTL_MS)).toBe(false);
  });

  it('goes to one of several concurrent requests, whether free or expired', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let round = 0; round < 15; round += 1) {
      const holders = ['a', 'b', 'c', 'd'].map((name) => `${name} ${round}`);
      const taken = await Promise.all(
        holders.map((holder, i) => (i % 2 ? one : two).holds.take('key', holder, TTL_MS)),
      );
      expect(taken.filter(Boolean)).toHaveLength(1);
      const holder = holders[taken.indexOf(true)] ?? '';
      if (round % 2) await one.holds.release('key', holder);
      else await two.holds.take('key', holder, 0);
    }
  });
});
