import { expect, it } from 'vitest';
import { sortedInTurns } from '#core/lib/concurrency/sorted-in-turns.ts';

const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;

it.each([0, 1, 2047, 2048, 2049, 6145, 10_001])('%i items are sorted stably', async (count) => {
  const items = Array.from({ length: count }, (_, at) => ({ key: (at * 7919) % 97, at }));
  expect(await sortedInTurns(items, byKey)).toEqual(items.toSorted(byKey));
});

it('sorting many items gives the event loop its turns', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  });
  const items = Array.from({ length: 200_000 }, (_, at) => ({ key: (at * 7919) % 1_000_003 }));
  const sorted = await sortedInTurns(items, byKey);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  expect(sorted[0]).toEqual({ key: 0 });
});
