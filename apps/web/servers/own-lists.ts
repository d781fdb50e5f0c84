import { type Accessor, createSignal } from 'solid-js';
import { createPlace, type Place } from '../lib/storage.ts';

const MOST_FAVORITES = 200;
const MOST_RECENTS = 20;
const MOST_COLLAPSED = 500;

/** What a user has chosen about servers in this browser. */
interface Kept {
  readonly favorites: readonly number[];
  /** The last opened first. */
  readonly recents: readonly number[];
  /** Names of the sections that are collapsed in the rail. */
  readonly collapsed: readonly string[];
}

export interface OwnLists {
  readonly favorites: Accessor<readonly number[]>;
  readonly recents: Accessor<readonly number[]>;
  readonly collapsed: Accessor<readonly string[]>;
  isFavorite(server_id: number): boolean;
  toggleFavorite(server_id: number): void;
  noteOpened(server_id: number): void;
  setCollapsed(sections: readonly string[], is_collapsed: boolean): void;
}

export function createOwnLists(
  user_id: number,
  place: Place = createPlace('local', `servers:${user_id}`),
): OwnLists {
  const [kept, setKept] = createSignal(readKept(place.read()));
  /** Read again first: another tab of the browser may have written. */
  const change = (work: (before: Kept) => Partial<Kept>) => {
    const before = { ...kept(), ...readStored(place.read()) };
    const after = { ...before, ...work(before) };
    place.write(after);
    setKept(after);
  };
  return {
    favorites: () => kept().favorites,
    recents: () => kept().recents,
    collapsed: () => kept().collapsed,
    isFavorite: (server_id) => kept().favorites.includes(server_id),
    toggleFavorite: (server_id) =>
      change(({ favorites }) => ({
        favorites: favorites.includes(server_id)
          ? favorites.filter((id) => id !== server_id)
          : [server_id, ...favorites].slice(0, MOST_FAVORITES),
      })),
    noteOpened: (server_id) =>
      change(({ recents }) => ({
        recents: [server_id, ...recents.filter((id) => id !== server_id)].slice(0, MOST_RECENTS),
      })),
    setCollapsed: (sections, is_collapsed) =>
      change(({ collapsed }) => {
        const others = collapsed.filter((section) => !sections.includes(section));
        return { collapsed: [...(is_collapsed ? sections : []), ...others].slice(0, MOST_COLLAPSED) };
      }),
  };
}

function readStored(value: unknown): Partial<Kept> {
  return value === undefined ? {} : readKept(value);
}

/** Read field by field: what cannot be read is empty. */
export function readKept(value: unknown): Kept {
  const fields: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  return {
    favorites: listOf(fields['favorites'], isId).slice(0, MOST_FAVORITES),
    recents: listOf(fields['recents'], isId).slice(0, MOST_RECENTS),
    collapsed: listOf(fields['collapsed'], isName).slice(0, MOST_COLLAPSED),
  };
}

function listOf<T>(value: unknown, isWanted: (item: unknown) => item is T): T[] {
  return Array.isArray(value) ? [...new Set(value.filter(isWanted))] : [];
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string';
}
