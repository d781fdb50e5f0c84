import { toWords, type Words } from '../../lib/match/rank.ts';
import { formatToken, plainText, type QueryPart, splitQuery } from '../../lib/query/tokens.ts';

export const STATES = ['online', 'offline', 'unchecked', 'unknown'] as const;
export type State = (typeof STATES)[number];

/** What someone typed to find servers: words and tokens such as `tag:prod` and `is:offline`. */
export interface ServerQuery {
  readonly words: Words;
  /** A server must have all of these tags. */
  readonly tags: readonly string[];
  /** A server must be in one of these groups. */
  readonly groups: readonly string[];
  /** A server must be in one of these states; empty for any. */
  readonly states: readonly State[];
  readonly is_favorite: boolean;
}

const KEYS = ['tag', 'group', 'is'];

/** Unknown tokens are words. */
export function parseQuery(text: string): ServerQuery {
  const parts = partsOf(text);
  const valuesOf = (key: string) =>
    parts.filter((part) => part.key === key && isWhole(part)).map(({ value }) => value);
  const kinds = valuesOf('is').map((value) => value.toLowerCase());
  return {
    words: toWords(parts.filter(({ key }) => key === undefined).map(({ value }) => value)),
    tags: valuesOf('tag'),
    groups: valuesOf('group'),
    states: STATES.filter((state) => kinds.some((kind) => state.startsWith(kind))),
    is_favorite: kinds.some((kind) => 'favorite'.startsWith(kind)),
  };
}

/** `tag:` is still being typed; `group:""` asks for no group. */
function isWhole({ value, source }: Part): boolean {
  return value !== '' || /:""$/.test(source);
}

/** Without the words: the tokens stay as typed. */
export function tokensOf(text: string): string {
  const tokens = partsOf(text).filter(({ key }) => key !== undefined);
  return tokens.map(({ source }) => source).join(' ');
}

export function isEmptyQuery({ words, tags, groups, states, is_favorite }: ServerQuery): boolean {
  return words.joined === '' && tags.length + groups.length + states.length === 0 && !is_favorite;
}

type Part = Pick<QueryPart, 'key' | 'value' | 'source'>;

function partsOf(text: string): Part[] {
  return splitQuery(text).map((part) => {
    const { key, value, source, is_negated } = part;
    if (key !== undefined && !is_negated && KEYS.includes(key) && isKnown(key, value))
      return { key, value, source };
    return { key: undefined, value: plainText(part), source };
  });
}

/** `is:` takes the start of a state, as it may still be typed. */
function isKnown(key: string, value: string): boolean {
  return key !== 'is' || [...STATES, 'favorite'].some((state) => state.startsWith(value.toLowerCase()));
}

function isToken(part: Part, key: string, value: string): boolean {
  return part.key === key && part.value.toLowerCase() === value.toLowerCase();
}

export function hasToken(text: string, key: string, value: string): boolean {
  return partsOf(text).some((part) => isToken(part, key, value));
}

/** Adds the token to the query or removes it; everything else stays as typed. */
export function toggleToken(text: string, key: string, value: string): string {
  const parts = partsOf(text);
  const others = parts.filter((part) => !isToken(part, key, value));
  const token = formatToken(key, value);
  const sources = others.map(({ source }) => source);
  return [...sources, ...(others.length === parts.length ? [token] : [])].join(' ');
}
