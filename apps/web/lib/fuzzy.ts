const START_OF_WORD = 8;
const START_OF_TEXT = 4;
const CONSECUTIVE = 5;
const MATCH = 1;
const START_OF_NAME = 10;
const NAMED = 10_000; // above any score by letters

/** How well the letters of `query` occur in order in `text`; undefined when they do not. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = squeeze(query);
  const among = fold(text);
  let best: number | undefined;
  for (let start = 0; start < among.length; start += 1) {
    if (among[start] !== wanted[0]) continue;
    const score = scoreFrom(wanted, among, start);
    if (score !== undefined && (best === undefined || score > best)) best = score;
  }
  return best;
}

/** Matches each letter at its first occurrence from `start` on. */
function scoreFrom(wanted: string, among: string, start: number): number | undefined {
  let score = (start === 0 ? START_OF_TEXT : 0) - among.length / 100; // among equal matches the shorter text wins
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

function scoreOf(query: string, { text, name, weight = 0 }: Candidate): number | undefined {
  const wanted = squeeze(query);
  const named = squeeze(name ?? '');
  if (named !== '' && named === wanted) return NAMED + weight;
  const score = fuzzyScore(query, text);
  if (score === undefined) return undefined;
  return score + weight + (named.startsWith(wanted) ? START_OF_NAME : 0);
}

function squeeze(text: string): string {
  return fold(text).replace(/\s+/g, '');
}

function isBreak(character: string | undefined): boolean {
  return character === undefined || /[\s\-_./:@]/.test(character);
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

export interface Candidate {
  readonly text: string;
  /** The name of what it acts on. Typing exactly this name ranks it above matches by letters. */
  readonly name?: string | undefined;
  /** Breaks ties: greater weights come first. */
  readonly weight?: number | undefined;
}

/** Matches, best first; all items in their own order for an empty query. */
export function fuzzyFilter<T>(query: string, items: readonly T[], of: (item: T) => Candidate): T[] {
  if (query.trim() === '') return [...items];
  return items
    .map((item) => ({ item, score: scoreOf(query, of(item)) }))
    .filter((found): found is { item: T; score: number } => found.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}
