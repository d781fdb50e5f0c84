import { createSignal } from 'solid-js';
import { createPlace } from '../../lib/storage.ts';

const MOST_LISTS = 40;
const MOST_SEARCHES = 50;

export interface SavedSearch {
  readonly name: string;
  readonly text: string;
}

/** By the id of the list. */
type Kept = Readonly<Record<string, readonly SavedSearch[]>>;

/** The searches of a list that the user has named, kept in this browser like the other preferences. */
export function createSavedSearches(user_id: number, list_id: string) {
  const place = createPlace('local', `searches:${user_id}`);
  const [list, setList] = createSignal(readSearches(place.read())[list_id] ?? []);
  function change(work: (before: readonly SavedSearch[]) => readonly SavedSearch[]): void {
    const kept = readSearches(place.read()); // another tab may have written since
    const after = work(kept[list_id] ?? []);
    setList(after);
    place.write({ ...kept, [list_id]: after });
  }
  return {
    list,
    save: (search: SavedSearch) => change((before) => withSearch(before, search)),
    remove: (removed: string) => change((before) => before.filter(({ name }) => name !== removed)),
  };
}

/** A new search replaces the one of its name; beyond the limit, the oldest gives way. */
export function withSearch(before: readonly SavedSearch[], search: SavedSearch): readonly SavedSearch[] {
  return [...before.filter(({ name }) => name !== search.name), search].slice(-MOST_SEARCHES);
}

export function readSearches(kept: unknown): Kept {
  if (typeof kept !== 'object' || kept === null) return {};
  const lists = Object.entries(kept).slice(0, MOST_LISTS);
  return Object.fromEntries(
    lists.map(([id, searches]) => [
      id,
      (Array.isArray(searches) ? searches : []).filter(isSearch).slice(0, MOST_SEARCHES),
    ]),
  );
}

function isSearch(value: unknown): value is SavedSearch {
  if (typeof value !== 'object' || value === null) return false;
  const { name, text }: { name?: unknown; text?: unknown } = value;
  return typeof name === 'string' && name !== '' && typeof text === 'string';
}
