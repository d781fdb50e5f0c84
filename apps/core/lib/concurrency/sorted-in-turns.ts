import { createGiveWay } from './give-way.ts';

const SORTED_AT_ONCE = 2048;
const MERGED_AT_ONCE = 2048;

/** Sorts stably, as `toSorted`, without holding the event loop: a million items take seconds. */
export async function sortedInTurns<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  const giveWay = createGiveWay();
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += SORTED_AT_ONCE) {
    runs.push(items.slice(at, at + SORTED_AT_ONCE).sort(compare));
    await giveWay();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];

  async function merge(first: readonly Item[], second: readonly Item[]): Promise<Item[]> {
    const all: Item[] = [];
    let [from_first, from_second] = [0, 0];
    while (all.length < first.length + second.length) {
      const one = first[from_first];
      const other = second[from_second];
      const takes_first =
        from_second >= second.length ||
        (from_first < first.length && compare(one as Item, other as Item) <= 0);
      all.push((takes_first ? first[from_first++] : second[from_second++]) as Item);
      if (all.length % MERGED_AT_ONCE === 0) await giveWay();
    }
    return all;
  }
}
