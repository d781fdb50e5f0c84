import type { Folded } from './fold.ts';

/** How a word was found in a text, best first. */
export const FOUND = { whole: 0, prefix: 1, word: 2, inside: 3 } as const;

export interface Place {
  readonly how: number;
  readonly from: number;
  readonly to: number;
}

/** The best occurrence of `wanted`, as indices of the folded text. */
export function placeOf(wanted: string, folded: Folded): Place | undefined {
  const from = bestStart(wanted, folded);
  return from < 0 ? undefined : { how: howAt(from, wanted, folded), from, to: from + wanted.length };
}

/** How `wanted` is found at best; creates nothing, as it is asked of every text with each letter typed. */
export function howFound(wanted: string, folded: Folded): number | undefined {
  const from = bestStart(wanted, folded);
  return from < 0 ? undefined : howAt(from, wanted, folded);
}

/** -1 if it is not there. */
function bestStart(wanted: string, { text, starts }: Folded): number {
  if (wanted === '') return -1;
  const first = text.indexOf(wanted);
  for (let at = first; at >= 0; at = text.indexOf(wanted, at + 1)) if (starts[at]) return at;
  return first;
}

function howAt(from: number, wanted: string, { text, starts }: Folded): number {
  if (from === 0) return text.length === wanted.length ? FOUND.whole : FOUND.prefix;
  return starts[from] ? FOUND.word : FOUND.inside;
}

interface Unit {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export interface Scattered {
  readonly places: readonly Omit<Place, 'how'>[];
  /** Lower is better. */
  readonly cost: number;
}

const INCOMPLETE = 1000; // above any span

/**
 * The letters of `wanted` in order, with gaps. A number counts as one letter, leading zeros aside: `web12` is neither
 * `web-02` nor `web-102`. Only the last number may be incomplete, as it may still be typed.
 */
export function scatteredIn(wanted: string, { text }: Folded): Scattered | undefined {
  if (!hasLetters(wanted, text)) return undefined;
  const units = unitsOf(wanted);
  const among = unitsOf(text);
  let best: Scattered | undefined;
  among.forEach((_, start) => {
    const found = scatteredFrom(units, among, start);
    if (found && (!best || found.cost < best.cost)) best = found;
  });
  return best;
}

/** A cheap first test: most texts end here. */
function hasLetters(wanted: string, text: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    if (letter === '0') continue; // leading zeros need not be there
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function scatteredFrom(units: readonly Unit[], among: readonly Unit[], start: number): Scattered | undefined {
  const places: Unit[] = [];
  let at = start;
  let is_incomplete = false;
  for (const [index, wanted] of units.entries()) {
    const { text } = wanted;
    const mayGoOn = index === units.length - 1 && isNumber(text) && !hasZeros(wanted);
    const next = among.findIndex(
      (unit, position) => position >= at && (unit.text === text || (mayGoOn && unit.text.startsWith(text))),
    );
    const unit = among[next];
    if (!unit || (index === 0 && next > start)) return undefined;
    is_incomplete = unit.text !== text;
    places.push(unit);
    at = next + 1;
  }
  const span = (places.at(-1)?.to ?? 0) - (places[0]?.from ?? 0);
  return { places, cost: span + (is_incomplete ? INCOMPLETE : 0) };
}

/** A number with leading zeros has a fixed length, so it is complete: `web07` is not `web-70`. */
function hasZeros({ text, from, to }: Unit): boolean {
  return to - from > text.length;
}

function isNumber(text: string): boolean {
  return /^\d/.test(text);
}

/** Letters one by one, numbers as a whole and without leading zeros. */
function unitsOf(text: string): Unit[] {
  return [...text.matchAll(/\d+|\D/gu)].map(({ 0: unit, index }) => ({
    text: unit.replace(/^0+(?=\d)/, ''),
    from: index,
    to: index + unit.length,
  }));
}
