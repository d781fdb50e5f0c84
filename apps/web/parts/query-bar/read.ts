import type { TextKey, Values } from '../../i18n/languages.ts';
import { readMoment } from '../../lib/query/moments.ts';
import { type QueryPart, splitQuery } from '../../lib/query/tokens.ts';
import type { QueryKey } from './keys.ts';

export interface Problem {
  readonly text: TextKey;
  readonly values: Values;
}

export interface QueryToken {
  readonly name: string;
  readonly value: string;
  readonly is_negated: boolean;
  /** The token as the user typed it. */
  readonly source: string;
  /** The name of the value, or the value itself. */
  readonly shown: string;
  /** Why the list does not apply the token. */
  readonly problem: Problem | undefined;
}

/** A query, read with the keys that a list knows. */
export interface Query {
  readonly text: string;
  readonly words: readonly string[];
  /** The words as the user typed them. */
  readonly words_text: string;
  readonly tokens: readonly QueryToken[];
}

const LONGEST = 2000;

export function readQuery(text: string, keys: readonly QueryKey[], now = new Date()): Query {
  const parts = splitQuery(text.slice(0, LONGEST));
  const words = parts.filter(({ key }) => key === undefined);
  const tokens: QueryToken[] = [];
  for (const part of parts) if (part.key !== undefined) tokens.push(readToken(part, keys, tokens, now));
  return {
    text,
    words: words.map(({ value }) => value).filter((value) => value !== ''),
    words_text: words.map(({ source }) => source).join(' '),
    tokens,
  };
}

/** Returns the values of `key:` that the list applies. */
export function valuesOf({ tokens }: Pick<Query, 'tokens'>, key: string): readonly string[] {
  const asked = tokens.filter(({ name, problem, is_negated }) => name === key && !problem && !is_negated);
  return asked.map(({ value }) => value);
}

/** Returns the values of `-key:`, which the list leaves out. */
export function excludedOf({ tokens }: Pick<Query, 'tokens'>, key: string): readonly string[] {
  return tokens
    .filter(({ name, problem, is_negated }) => name === key && !problem && is_negated)
    .map(({ value }) => value);
}

export function isEmpty({ tokens, words }: Query): boolean {
  return tokens.length + words.length === 0;
}

function readToken(
  part: QueryPart,
  keys: readonly QueryKey[],
  before: readonly QueryToken[],
  now: Date,
): QueryToken {
  const { key: name = '', is_negated, source } = part;
  const key = keys.find((one) => one.key === name);
  const known = key && knownValue(key, part.value);
  return {
    ...{ name, is_negated, source },
    value: known?.value ?? part.value,
    shown: known?.label ?? known?.value ?? part.value,
    problem: problemOf(part, key, { before, now }),
  };
}

function knownValue({ values }: QueryKey, typed: string) {
  const wanted = typed.toLowerCase();
  const known = values?.() ?? [];
  return (
    known.find(({ value }) => value.toLowerCase() === wanted) ??
    known.find(({ label }) => label?.toLowerCase() === wanted)
  );
}

interface Around {
  readonly before: readonly QueryToken[];
  readonly now: Date;
}

function problemOf(part: QueryPart, key: QueryKey | undefined, { before, now }: Around): Problem | undefined {
  const { key: name = '', value, is_negated, source } = part;
  const values = { key: `${name}:`, value, source };
  if (!key) return { text: 'query_unknown_key', values };
  const is_none = /:""$/.test(source) && knownValue(key, '') !== undefined; // such as no group
  if (value.trim() === '' && !is_none) return { text: 'query_no_value', values };
  if (is_negated && !key.can_exclude) return { text: 'query_no_exclusion', values };
  if (key.is_time) return problemOfTime(part, before, { values, now });
  const has_other = before.some((token) => token.name === name && !token.problem && !token.is_negated);
  if (has_other && !key.is_many && !is_negated) return { text: 'query_only_one', values };
  const is_unknown = !key.is_open && key.values?.() !== undefined && !knownValue(key, value);
  return is_unknown ? { text: 'query_unknown_value', values } : undefined;
}

function problemOfTime(
  { key: name, value }: QueryPart,
  before: readonly QueryToken[],
  { values, now }: { readonly values: Values; readonly now: Date },
): Problem | undefined {
  const span = readMoment(value, now);
  if (!span) return { text: 'query_no_time', values };
  if (before.some((token) => token.name === name && !token.problem))
    return { text: 'query_only_one', values };
  const other = before.find((token) => token.name === (name === 'since' ? 'until' : 'since'));
  const across = other && !other.problem && readMoment(other.value, now);
  if (!across) return undefined;
  const [since, until] = name === 'since' ? [span, across] : [across, span];
  return since.from < until.to ? undefined : { text: 'query_backwards', values };
}

/** The period that `since:` and `until:` ask for, both inclusive. */
export function periodOf(query: Query, now = new Date()): { since?: string; until?: string } {
  const at = (key: string) => readMoment(valuesOf(query, key)[0] ?? '', now);
  const [since, until] = [at('since'), at('until')];
  return {
    ...(since ? { since: since.from.toISOString() } : {}),
    ...(until ? { until: until.to.toISOString() } : {}),
  };
}

/** Returns the query without the tokens that the bar says are not applied. */
export function appliedText({ tokens, words_text }: Query): string {
  const applied = tokens.filter(({ problem }) => problem === undefined).map(({ source }) => source);
  return [...applied, words_text].join(' ');
}

/** Returns the query with this token instead of those with the same key. */
export function withToken({ tokens, words_text }: Query, token: string): string {
  const key = token.slice(0, token.indexOf(':'));
  const others = tokens.filter(({ name }) => name !== key).map(({ source }) => source);
  return [...others, token, words_text].filter((part) => part !== '').join(' ');
}
