import { toUsernameKey } from '#core/model/accounts/user.ts';
import type { AuditFilter } from '#core/model/audit/audit.ts';
import { toStorableText } from '../../kit/values.ts';
import { needlesOf } from './entries.ts';

const MOST_TRIGRAMS = 70; // as many as the longest single text has; matches are checked again
const FIRST_PRIVATE = 0xe000; // code points that never occur in our text

/**
 * Encodes name, action and their combination as one trigram each, which the search index can intersect with those of the
 * search text. Names may share a trigram, so matches are checked again.
 */
export function toFacets(username_key: string, action: string): string {
  return ofName(username_key) + ofAction(action) + ofBoth(username_key, action);
}

/** An FTS5 query for entries with all trigrams; undefined if the search is too short for one. */
export function toTrigramQuery(filter: AuditFilter): string | undefined {
  const needles = needlesOf(filter);
  const most = Math.ceil(MOST_TRIGRAMS / Math.max(1, needles.length));
  const trigrams = needles.flatMap((text) => trigramsOf(text).slice(0, most));
  if (trigrams.length === 0) return undefined;
  const [action = filter.action, ...others] = [filter.actions ?? []].flat();
  const name = filter.username === undefined ? undefined : toUsernameKey(filter.username);
  const facet = facetOf(name, others.length > 0 ? undefined : action);
  return [...new Set([...facet, ...trigrams])].map(quoted).join(' AND '); // FTS5 iterates over the first term, so the rarest comes first
}

function trigramsOf(text: string): string[] {
  const characters = [...toStorableText(text)];
  if (characters.length < 3) return [];
  return ends(characters.length).map((i) => characters.slice(i, i + 3).join(''));
}

/** The last two trigrams and every third before them; the others cost more time than they save. */
function ends(length: number): number[] {
  const thirds = Array.from({ length: Math.floor(length / 3) }, (_, i) => length - 3 - 3 * i);
  return [...thirds, Math.max(0, length - 4), 0];
}

function facetOf(username_key: string | undefined, action: string | undefined): string[] {
  if (username_key === undefined) return action === undefined ? [] : [ofAction(action)];
  return [action === undefined ? ofName(username_key) : ofBoth(username_key, action)];
}

const ofName = (username_key: string) => toTrigram(`name\n${toStorableText(username_key)}`);
const ofAction = (action: string) => toTrigram(`action\n${toStorableText(action)}`);
const ofBoth = (username_key: string, action: string) =>
  toTrigram(`both\n${toStorableText(username_key)}\n${toStorableText(action)}`);

function toTrigram(text: string): string {
  const hash = fnv1a(text);
  const parts = [hash >>> 22, (hash >>> 11) & 0x7ff, hash & 0x7ff];
  return String.fromCodePoint(...parts.map((part) => FIRST_PRIVATE + part));
}

/** FNV-1a, which must never change, because stored trigrams depend on it. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}
