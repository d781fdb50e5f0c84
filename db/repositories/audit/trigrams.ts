import type { AuditFilter } from '#core/model/audit.ts';
import { toUsernameKey } from '#core/model/user.ts';
import { toStorableText } from '../../kit/values.ts';

const FIRST_PRIVATE = 0xe000; // code points that no text of ours holds

/**
 * Name, action and both together, each as three characters: one trigram that the search index can meet with those of
 * the search. Two names may share one, so what is found is looked at again.
 */
export function toFacets(username_key: string, action: string): string {
  return ofName(username_key) + ofAction(action) + ofBoth(username_key, action);
}

/** For FTS5: entries that hold all trigrams; undefined when the search is too short for one. */
export function toTrigramQuery({ search = '', username, action }: AuditFilter): string | undefined {
  const characters = [...toStorableText(search.toLowerCase())];
  if (characters.length < 3) return undefined;
  const trigrams = ends(characters.length).map((i) => characters.slice(i, i + 3).join(''));
  const facet = facetOf(username === undefined ? undefined : toUsernameKey(username), action);
  return [...new Set([...facet, ...trigrams])].map(quoted).join(' AND '); // FTS5 is led by the first: the rarest
}

/** The last two and each third one before: those between them cost more time than they leave out entries. */
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

/** FNV-1a: short, and the same for ever. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}
