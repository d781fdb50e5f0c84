import { type Accessor, createEffect, createMemo, createSignal, on, untrack } from 'solid-js';
import type { Entry } from './entries.ts';
import { choose, chooseAll, NOTHING, neighborPath, type Reach, type Selectable } from './selection.ts';

interface Row extends Selectable {
  readonly name: string;
}

export interface ListCursor<Item> {
  readonly cursor: Accessor<number>;
  /** The selected entries in list order. */
  readonly selected: Accessor<readonly Item[]>;
  /** The entries a command acts on: the selection, or else the one at the cursor. */
  readonly targets: Accessor<readonly Item[]>;
  isChosen(path: string): boolean;
  setCursor(index: number): void;
  /** Moves to a row and extends the selection to it. */
  reach(index: number, how: Reach): void;
  /** Moves to a row and selects only it. */
  walk(index: number): void;
  selectAll(): void;
  clearSelection(): void;
  /** Moves the cursor to this name once it is listed. */
  aim(name: string | undefined): void;
  /** Call before these are removed, to move the cursor beside them. */
  aimBeside(gone: ReadonlySet<string>): void;
}

export type FileCursor = ListCursor<Entry>;

export function createListCursor<Item extends Row>(entries: Accessor<readonly Item[]>): ListCursor<Item> {
  const [cursor, setCursor] = createSignal(0);
  const [selection, setSelection] = createSignal(NOTHING);
  let isCurrent = (_row: Row) => false; // keeps the cursor on its entry when the list is sorted or reloaded

  /** By path: names that are not UTF-8 may look the same. */
  function keepTo(kept: string | undefined): void {
    isCurrent = ({ path }) => path === kept;
  }
  function walk(index: number): void {
    keepTo(entries()[index]?.path);
    setCursor(index);
  }
  function reach(index: number, how: Reach): void {
    const before = selection();
    // Without an anchor a range starts at the cursor.
    const anchor = before.anchor ?? entries()[cursor()]?.path;
    setSelection(choose({ ...before, anchor }, entries(), { index, reach: how }));
    walk(index);
  }
  const find = (shown: readonly Row[]) => shown.findIndex(isCurrent);

  createEffect(
    on(entries, (shown) => {
      const at = find(shown);
      const nearest = Math.max(0, Math.min(untrack(cursor), shown.length - 1));
      setCursor(at < 0 ? nearest : at);
    }),
  );
  const selected = createMemo(() => {
    const { chosen } = selection();
    return chosen.size === 0 ? [] : entries().filter(({ path }) => chosen.has(path));
  });
  const targets = createMemo(() => {
    const at_cursor = entries()[cursor()];
    return selected().length === 0 && at_cursor ? [at_cursor] : selected();
  });

  return {
    cursor,
    selected,
    targets,
    isChosen: (path) => selection().chosen.has(path),
    setCursor: (index) => reach(index, 'one'),
    reach,
    walk,
    selectAll: () => setSelection(chooseAll(entries())),
    clearSelection: () => setSelection(NOTHING),
    aim(aimed) {
      isCurrent = ({ name }) => name === aimed;
      const at = find(untrack(entries));
      if (at >= 0) setCursor(at);
    },
    aimBeside(gone) {
      const next = neighborPath(untrack(entries), gone);
      if (next !== undefined) keepTo(next);
    },
  };
}
