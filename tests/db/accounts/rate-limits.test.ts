import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, LATER } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const LATEST = '2026-01-02T05:04:05.678Z';
const FAR = '2026-01-02T06:04:05.678Z';

describeEachStore('rate limits', (fresh) => {
  const prepare = async () => createRepositories(await fresh.migrated()).rate_limits;

  it('counts within a window and keeps its end', async () => {
    const limits = await prepare();
    expect(await limits.hit({ key: 'a', now: AT, window_ends_at: LATER, latest_end: FAR })).toEqual({
      count: 1,
      window_ends_at: LATER,
    });
    expect(await limits.hit({ key: 'a', now: AT, window_ends_at: LATEST, latest_end: FAR })).toEqual({
      count: 2,
      window_ends_at: LATER,
    });
  });

  it('counts each key separately', async () => {
    const limits = await prepare();
    await limits.hit({ key: 'a', now: AT, window_ends_at: LATER, latest_end: FAR });
    expect(await limits.hit({ key: 'b', now: AT, window_ends_at: LATER, latest_end: FAR })).toMatchObject({
      count: 1,
    });
  });

  it('starts again at the end of the window', async () => {
    const limits = await prepare();
    await limits.hit({ key: 'a', now: AT, window_ends_at: LATER, latest_end: FAR });
    await limits.hit({ key: 'a', now: AT, window_ends_at: LATER, latest_end: FAR });
    expect(await limits.hit({ key: 'a', now: LATER, window_ends_at: LATEST, latest_end: FAR })).toEqual({
      count: 1,
      window_ends_at: LATEST,
    });
  });

  it('starts again when the clock was set back since the window began', async () => {
    const limits = await prepare();
    await limits.hit({ key: 'a', now: LATER, window_ends_at: FAR, latest_end: FAR });
    expect(await limits.hit({ key: 'a', now: AT, window_ends_at: LATER, latest_end: LATEST })).toEqual({
      count: 1,
      window_ends_at: LATER,
    });
  });

  it('counts exactly with 50 concurrent hits from several instances', async () => {
    const url = await fresh.url();
    const instances = [await fresh.migrated(url), await fresh.migrated(url)].map(createRepositories);
    const hits = Array.from({ length: 50 }, (_, i) =>
      instances[i % 2]?.rate_limits.hit({ key: 'a', now: AT, window_ends_at: LATER, latest_end: FAR }),
    );
    const counts = (await Promise.all(hits)).map((answer) => answer?.count ?? 0).sort((a, b) => a - b);
    expect(counts).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('removes expired windows and keeps the rest', async () => {
    const limits = await prepare();
    await limits.hit({ key: 'old', now: AT, window_ends_at: LATER, latest_end: FAR });
    await limits.hit({ key: 'new', now: AT, window_ends_at: LATEST, latest_end: FAR });
    await limits.removeExpired(LATER);
    expect(await limits.hit({ key: 'old', now: AT, window_ends_at: LATEST, latest_end: FAR })).toMatchObject({
      count: 1,
    });
    expect(await limits.hit({ key: 'new', now: AT, window_ends_at: LATEST, latest_end: FAR })).toMatchObject({
      count: 2,
    });
  });
});
