import { type Folded, foldName, foldText } from './fold.ts';
import { FOUND, placeOf, scatteredIn } from './place.ts';
import type { Words } from './rank.ts';

/** Part of a text, from its first character to before its last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The parts of a name that made it match. */
export function rangesInName(words: Words, text: string): Range[] {
  const name = foldName(text);
  const joined = placeOf(words.joined, name);
  if (joined) return [originalOf(name, joined)];
  return rangesOf(words.names, name);
}

/** The words of a sentence, such as the title of a command, that made it match. */
export function rangesAtStarts(words: Words, text: string): Range[] {
  const folded = foldName(text);
  const places = [words.joined, ...words.names].flatMap((word) => placeOf(word, folded) ?? []);
  const at_starts = places.filter(({ how }) => how !== FOUND.inside);
  return merged(at_starts.map((place) => originalOf(folded, place)));
}

/** The parts of a name whose letters were found in order, with gaps. */
export function rangesOfLetters(words: Words, text: string): Range[] {
  const name = foldName(text);
  return merged((scatteredIn(words.joined, name)?.places ?? []).map((place) => originalOf(name, place)));
}

export function rangesInLabel(words: Words, text: string): Range[] {
  return rangesOf(words.names, foldName(text));
}

export function rangesInText(words: Words, text: string): Range[] {
  return rangesOf(words.texts, foldText(text));
}

function rangesOf(wanted: readonly string[], folded: Folded): Range[] {
  const places = wanted.flatMap((word) => placeOf(word, folded) ?? []);
  return merged(places.map((place) => originalOf(folded, place)));
}

function originalOf({ original, places }: Folded, { from, to }: Range): Range {
  const last = places[to - 1] ?? 0;
  const length = String.fromCodePoint(original.codePointAt(last) ?? 0).length;
  return { from: places[from] ?? 0, to: last + length };
}

function merged(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort((one, other) => one.from - other.from);
  const result: Range[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last && range.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else result.push(range);
  }
  return result;
}
