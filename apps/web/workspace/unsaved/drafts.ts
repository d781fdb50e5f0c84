import { type Accessor, createSignal } from 'solid-js';
import { createPlace, type Place } from '../../lib/storage.ts';

/** Unsaved text of one file, as it would have been saved. */
export interface Draft {
  readonly server_id: number;
  readonly path: string;
  /** The version it is based on; null for a new file. */
  readonly etag: string | null;
  readonly content: string;
  readonly kept_at: string;
}

export type DraftKey = Pick<Draft, 'server_id' | 'path'>;

// Browsers limit sessionStorage to about 5 Mi characters per page.
export const MAX_DRAFTS_LENGTH = 1_048_576;

export interface Drafts {
  readonly list: Accessor<readonly Draft[]>;
  find(key: DraftKey): Draft | undefined;
  keep(draft: Draft): void;
  drop(key: DraftKey): void;
}

/** One user's unsaved texts. They survive a reload and a new sign-in, but not closing the browser tab. */
export function createDrafts(user_id: number, place: Place = createPlace('session', 'drafts')): Drafts {
  const [list, update] = createSignal(readDrafts(place.read(), user_id));
  if (list().length === 0) place.clear(); // drafts of another user in this browser tab are not shown
  function put(drafts: readonly Draft[]): void {
    update([...drafts]);
    if (drafts.length === 0) place.clear();
    else place.write({ user_id, drafts });
  }
  return {
    list,
    find: (key) => list().find((draft) => isSame(draft, key)),
    keep: (draft) => put(withDraft(list(), draft)),
    drop: (key) => list().some((draft) => isSame(draft, key)) && put(without(list(), key)),
  };
}

/** Newest first. The oldest are dropped when they no longer fit. */
export function withDraft(drafts: readonly Draft[], draft: Draft): Draft[] {
  let room = MAX_DRAFTS_LENGTH;
  return [draft, ...without(drafts, draft)].filter(({ content }) => {
    room -= content.length;
    return room >= 0;
  });
}

/** Drafts of other users are not shown. */
export function readDrafts(kept: unknown, user_id: number): Draft[] {
  if (!isRecord(kept) || kept['user_id'] !== user_id || !Array.isArray(kept['drafts'])) return [];
  return kept['drafts'].filter(isDraft);
}

function without(drafts: readonly Draft[], key: DraftKey): Draft[] {
  return drafts.filter((draft) => !isSame(draft, key));
}

function isSame(draft: Draft, { server_id, path }: DraftKey): boolean {
  return draft.server_id === server_id && draft.path === path;
}

function isDraft(value: unknown): value is Draft {
  return (
    isRecord(value) &&
    typeof value['server_id'] === 'number' &&
    (typeof value['etag'] === 'string' || value['etag'] === null) &&
    ['path', 'content', 'kept_at'].every((field) => typeof value[field] === 'string')
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
