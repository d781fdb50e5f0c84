const START_OF_WORD = 8;
const START_OF_TEXT = 4;
const CONSECUTIVE = 5;
const MATCH = 1;

/** How well the letters of `query` occur in order in `text`; undefined when they do not. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = fold(query).replace(/\s+/g, '');
  const among = fold(text);
  let best: number | undefined;
  for (let start = 0; start < among.length; start += 1) {
    if (among[start] !== wanted[0]) continue;
    const score = scoreFrom(wanted, among, start);
    if (score !== undefined && (best === undefined || score > best)) best = score;
  }
  return best;
}

/** Takes each letter where it comes first, from `start` on. */
function scoreFrom(wanted: string, among: string, start: number): number | undefined {
  let score = (start === 0 ? START_OF_TEXT : 0) - among.length / 100; // of equals, the shorter
  let previous = start - 1;
  for (const letter of wanted) {
    const at = among.indexOf(letter, previous + 1);
    if (at < 0) return undefined;
    if (at === previous + 1 && at !== start) score += CONSECUTIVE;
    if (isBreak(among[at - 1])) score += START_OF_WORD;
    score += MATCH;
    previous = at;
  }
  return score;
}

function isBreak(character: string | undefined): boolean {
  return character === undefined || /[\s\-_./:@]/.test(character);
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Best first; everything in its order when nothing is asked. */
export function fuzzyFilter<T>(query: string, items: readonly T[], textOf: (item: T) => string): T[] {
  if (query.trim() === '') return [...items];
  return items
    .map((item) => ({ item, score: fuzzyScore(query, textOf(item)) }))
    .filter((found): found is { item: T; score: number } => found.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}
