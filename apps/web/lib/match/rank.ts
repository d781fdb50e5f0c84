import { type Folded, foldName, foldText } from './fold.ts';
import { FOUND, howFound, scatteredIn } from './place.ts';

/** The words of a query, in any order. */
export interface Words {
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** All words as one name: `web 12` is `web-12`. */
  readonly joined: string;
  /** What was typed, without accents and case. */
  readonly whole: string;
}

/** What words are looked for in. A word never matches across two of these texts. */
export interface Candidate {
  readonly name: Folded;
  /** The name as typed, with separators: `web-1-1` before `web-11`. */
  readonly exact: string;
  readonly labels: readonly Folded[];
  readonly addresses: readonly Folded[];
  readonly notes: readonly Folded[];
  /** All of these texts, without and with separators: most servers are ruled out by one look. */
  readonly names_at_once: string;
  readonly texts_at_once: string;
  /** Words are found only where a word of these texts starts, as in a sentence; letters anywhere are for names of hosts. */
  readonly at_starts: boolean;
}

const BETWEEN = '\n'; // in no word
const LABEL = 4; // after every way to match a name
const ADDRESS = 7;
const NOTE = 10;
const SCATTERED = 11;
const WORST = 1000; // the worst word decides, the sum breaks ties
const IDENTICAL = -1;

export function toWords(parts: readonly string[]): Words {
  const words = parts
    .map((part) => ({ name: foldName(part).text, text: foldText(part).text.trim() }))
    .filter(({ name }) => name !== '');
  const names = words.map(({ name }) => name);
  const texts = words.map(({ text }) => text);
  return { names, texts, joined: names.join(''), whole: texts.join(' ') };
}

interface CandidateTexts {
  readonly name: string;
  readonly labels?: readonly string[];
  readonly addresses?: readonly string[];
  readonly notes?: readonly string[];
  readonly at_starts?: boolean;
}

export function toCandidate({ name, at_starts = false, ...texts }: CandidateTexts): Candidate {
  const { labels = [], addresses = [], notes = [] } = texts;
  const candidate = candidateOf(name, labels.map(foldName), addresses.map(foldText), notes.map(foldText));
  return { ...candidate, at_starts };
}

/** Like `toCandidate`, for labels that are folded already. */
export function candidateOf(
  name: string,
  labels: readonly Folded[],
  addresses: readonly Folded[],
  notes: readonly Folded[],
): Candidate {
  const folded = foldName(name);
  return {
    ...{ name: folded, exact: foldText(name).text, labels, addresses, notes },
    names_at_once: atOnce([folded, ...labels]),
    texts_at_once: atOnce([...addresses, ...notes]),
    at_starts: false,
  };
}

function atOnce(texts: readonly Folded[]): string {
  return texts.map(({ text }) => text).join(BETWEEN);
}

/** Lower is better; undefined unless every word matches. */
export function rankOf(words: Words, candidate: Candidate): number | undefined {
  const single = rankByWord(words, candidate);
  if (words.joined === '') return single;
  if (candidate.exact === words.whole) return IDENTICAL;
  const joined = words.names.length > 1 ? bestOf(words.joined, [candidate.name], candidate) : undefined;
  const together = joined === undefined ? undefined : joined * (WORST + words.names.length);
  if (together === undefined || single === undefined) return together ?? single;
  return Math.min(together, single);
}

function rankByWord(words: Words, candidate: Candidate): number | undefined {
  let worst = 0;
  let sum = 0;
  for (const [at, name] of words.names.entries()) {
    const level = levelOf(name, words.texts[at] ?? '', candidate);
    if (level === undefined) return undefined;
    worst = Math.max(worst, level);
    sum += level;
  }
  return worst * WORST + sum;
}

function levelOf(name: string, text: string, candidate: Candidate): number | undefined {
  if (!candidate.names_at_once.includes(name) && !candidate.texts_at_once.includes(text)) return undefined;
  const in_name = bestOf(name, [candidate.name], candidate);
  if (in_name !== undefined) return in_name;
  const label = bestOf(name, candidate.labels, candidate);
  if (label !== undefined) return LABEL + Math.min(label, 2);
  const address = bestOf(text, candidate.addresses, candidate);
  if (address !== undefined) return ADDRESS + Math.min(address, 2);
  return bestOf(text, candidate.notes, candidate) === undefined ? undefined : NOTE;
}

function bestOf(wanted: string, among: readonly Folded[], { at_starts }: Candidate): number | undefined {
  let best: number | undefined;
  for (const folded of among) {
    const how = howFound(wanted, folded);
    if (how === undefined || (at_starts && how === FOUND.inside)) continue;
    if (best === undefined || how < best) best = how;
  }
  return best;
}

/** By letters in order within the name; worse than any other match. */
export function scatteredRank({ joined }: Words, { name, at_starts }: Candidate): number | undefined {
  const found = joined === '' || at_starts ? undefined : scatteredIn(joined, name);
  return found && SCATTERED * WORST + found.cost;
}

export function isScattered(rank: number): boolean {
  return rank >= SCATTERED * WORST;
}

/** Ranks by `candidateOf`, best first, keeping the given order among equals. Matches by scattered letters only if there are no others. */
export function rankAll<T>(
  words: Words,
  items: readonly T[],
  candidateOf: (item: T) => Candidate,
): { readonly item: T; readonly rank: number }[] {
  const by = (rank: typeof rankOf) =>
    items.flatMap((item) => {
      const found = rank(words, candidateOf(item));
      return found === undefined ? [] : [{ item, rank: found }];
    });
  const found = by(rankOf);
  return (found.length > 0 ? found : by(scatteredRank)).sort((one, other) => one.rank - other.rank);
}
