import { compareNaturally } from '../../lib/match/natural.ts';
import type { ServerIndex } from '../../servers/find/server-index.ts';

/** The tags of all servers, the most frequent first. */
export function tagsByUse({ list }: ServerIndex): string[] {
  const uses = new Map<string, number>();
  for (const { server } of list) for (const tag of server.tags) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  return [...uses]
    .sort(([one, often], [other, oftener]) => oftener - often || compareNaturally(one, other))
    .map(([tag]) => tag);
}

const CHIP_LETTERS = 4; // a chip's padding and the gap next to it, in letters

/** The tags whose chips fit into one line of this many letters. */
export function tagsThatFit(tags: readonly string[], letters: number): string[] {
  let left = letters;
  return tags.filter((tag) => {
    const width = tag.length + CHIP_LETTERS;
    if (width > left) return false;
    left -= width;
    return true;
  });
}
