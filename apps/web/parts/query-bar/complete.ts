import { foldName } from '../../lib/match/fold.ts';
import { type Candidate, rankAll, toCandidate, toWords } from '../../lib/match/rank.ts';
import { formatToken, type QueryPart, splitQuery } from '../../lib/query/tokens.ts';
import type { QueryKey, QueryValue } from './keys.ts';

/** A suggestion that replaces the part being typed. */
export type Completion =
  | { readonly kind: 'key'; readonly key: QueryKey; readonly text: string }
  | { readonly kind: 'value'; readonly key: QueryKey; readonly value: QueryValue; readonly text: string }
  /** A day of the calendar. */
  | { readonly kind: 'day'; readonly key: QueryKey };

const MOST_SHOWN = 50; // a person types on rather than scroll further
const MOST_OF_KEY = 4;
const SHORTEST_WORD = 2;

/** The part at the end of the text; undefined after a space. */
export function lastPart(typed: string): QueryPart | undefined {
  const last = splitQuery(typed).at(-1);
  return last && last.at + last.source.length === typed.length ? last : undefined;
}

/** The text before the part that is being typed. */
export function beforeLast(typed: string): string {
  return typed.slice(0, lastPart(typed)?.at ?? typed.length);
}

export function complete(
  typed: string,
  keys: readonly QueryKey[],
  labelOf: (key: QueryKey) => string,
): readonly Completion[] {
  const part = lastPart(typed);
  const key = part && keys.find((one) => one.key === part.key);
  if (part && key) return valuesFor(key, part);
  if (part?.key !== undefined) return [];
  const word = part?.value ?? '';
  const is_excluding = word.startsWith('-');
  const wanted = foldName(word).text;
  const matching = keys.filter(
    (one) =>
      (!is_excluding || one.can_exclude) &&
      (foldName(one.key).text.startsWith(wanted) || foldName(labelOf(one)).text.startsWith(wanted)),
  );
  const names = matching.map(
    (one): Completion => ({ kind: 'key', key: one, text: `${is_excluding ? '-' : ''}${one.key}:` }),
  );
  if (word.length < SHORTEST_WORD || is_excluding) return names;
  return [...names, ...keys.flatMap((one) => valuesByWord(one, word))].slice(0, MOST_SHOWN);
}

function valuesFor(key: QueryKey, { value, is_negated }: QueryPart): Completion[] {
  const found = value === '' ? (key.values?.() ?? []) : find(key, value);
  const toCompletion = (one: QueryValue): Completion => ({
    ...{ kind: 'value', key, value: one },
    text: formatToken(key.key, one.value, is_negated),
  });
  const shown = found.slice(0, MOST_SHOWN).map(toCompletion);
  return key.is_time ? [...shown, { kind: 'day', key }] : shown;
}

function valuesByWord(key: QueryKey, word: string): Completion[] {
  if (key.is_time) return [];
  const values = find(key, word).slice(0, MOST_OF_KEY);
  return values.map((value) => ({ kind: 'value', key, value, text: formatToken(key.key, value.value) }));
}

const candidates = new WeakMap<QueryValue, Candidate>();

function candidateOf(value: QueryValue): Candidate {
  const known = candidates.get(value);
  if (known) return known;
  const name = value.label ?? value.value;
  const candidate = toCandidate({ name, labels: [value.value], at_starts: true });
  candidates.set(value, candidate);
  return candidate;
}

/** Finds values by the starts of words in their names and codes. */
function find({ values }: QueryKey, text: string): QueryValue[] {
  return rankAll(toWords(text.split(/\s+/)), values?.() ?? [], candidateOf).map(({ item }) => item);
}
