import { type Accessor, createSignal } from 'solid-js';
import type { Pane } from '../pane/pane.ts';
import type { Found } from './pane-search.ts';

export interface SearchState {
  readonly is_open: Accessor<boolean>;
  readonly found: Accessor<Found>;
  /** Increases with each request to open it; each one focuses it again. */
  readonly wishes: Accessor<number>;
  open(): void;
  close(): void;
  tell(found: Found): void;
}

const NOTHING: Found = { at: 0, count: 0 };

export function createSearchState(pane: Accessor<Pane | undefined>): SearchState {
  const [wishes, setWishes] = createSignal(0);
  const [is_open, setOpen] = createSignal(false);
  const [found, tell] = createSignal(NOTHING);
  return {
    is_open,
    found,
    wishes,
    tell,
    open() {
      setOpen(true);
      setWishes((before) => before + 1);
    },
    close() {
      setOpen(false);
      tell(NOTHING);
      pane()?.search.end();
      pane()?.focus();
    },
  };
}
