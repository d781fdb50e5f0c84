import { createContext, createSignal, useContext } from 'solid-js';
import { createDrafts, type DraftKey, type Drafts } from './drafts.ts';

/** A text open in a tab. */
export interface OpenText extends DraftKey {
  readonly tab_id: string;
  readonly is_dirty: () => boolean;
  /** Asks what to do with the changes: true once saved or discarded, false to stay. */
  ask(): Promise<boolean>;
}

export interface Unsaved {
  readonly drafts: Drafts;
  /** The result unregisters it. */
  hold(text: OpenText): () => void;
  isOpen(key: DraftKey): boolean;
  isDirty(tab_id: string): boolean;
  isAnyDirty(): boolean;
  dirtyCount(): number;
  /** Asks if a tab has unsaved changes. */
  mayLeave(tab_id: string): boolean | Promise<boolean>;
}

/** All unsaved texts of the page. None is dropped without asking. */
export function createUnsaved(user_id: number): Unsaved {
  const drafts = createDrafts(user_id);
  const [texts, update] = createSignal<readonly OpenText[]>([]);
  const dirtyIn = (tab_id: string) => texts().find((text) => text.tab_id === tab_id && text.is_dirty());
  return {
    drafts,
    hold(text) {
      update((before) => [...before, text]);
      return () => void update((before) => before.filter((one) => one !== text));
    },
    isOpen: ({ server_id, path }) =>
      texts().some((text) => text.server_id === server_id && text.path === path),
    isDirty: (tab_id) => dirtyIn(tab_id) !== undefined,
    isAnyDirty: () => texts().some((text) => text.is_dirty()),
    dirtyCount: () => texts().filter((text) => text.is_dirty()).length,
    mayLeave: (tab_id) => dirtyIn(tab_id)?.ask() ?? true,
  };
}

const Context = createContext<Unsaved>();
export const UnsavedProvider = Context.Provider;

export function useUnsaved(): Unsaved {
  const unsaved = useContext(Context);
  if (!unsaved) throw new Error('Outside the workspace');
  return unsaved;
}
