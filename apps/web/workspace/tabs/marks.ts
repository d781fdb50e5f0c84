import { type Accessor, createEffect, createSignal } from 'solid-js';
import { createStore, produce } from 'solid-js/store';

/** What happened in a tab out of sight, weakest first: new output, a bell or a message, the end of its shell. */
export const MARKS = ['output', 'bell', 'ended'] as const;
export type Mark = (typeof MARKS)[number];

export function strongestOf(one: Mark | undefined, other: Mark): Mark {
  return one !== undefined && MARKS.indexOf(one) > MARKS.indexOf(other) ? one : other;
}

/** Counts the tabs for the title of the page, without those of new output alone: most terminals print something. */
export function callsIn(marks: Readonly<Record<string, Mark>>): number {
  return Object.values(marks).filter((mark) => mark !== 'output').length;
}

export interface TabMarks {
  of(tab_id: string): Mark | undefined;
  /** Whether the tab is shown on a page that is in sight. */
  isSeen(tab_id: string): boolean;
  /** Marks a tab that is open and out of sight. */
  mark(tab_id: string, mark: Mark): void;
  /** Counts the end of transfers as one more mark while the page is out of sight. */
  markTransfers(): void;
  readonly is_page_hidden: Accessor<boolean>;
  /** The number for the title of the page. */
  readonly count: Accessor<number>;
}

interface Options {
  readonly ids: Accessor<readonly string[]>;
  readonly isShown: (tab_id: string) => boolean;
  readonly is_page_hidden: Accessor<boolean>;
}

/** The marks of tabs, each until its tab is seen. */
export function createTabMarks({ ids, isShown, is_page_hidden }: Options): TabMarks {
  const [marks, update] = createStore<Record<string, Mark>>({});
  const [has_transfers, setTransfers] = createSignal(false);
  const isSeen = (tab_id: string) => isShown(tab_id) && !is_page_hidden();
  createEffect(() => {
    const open = new Set(ids());
    const over = Object.keys(marks).filter((id) => !open.has(id) || isSeen(id));
    if (over.length > 0) update(produce((all) => over.forEach((id) => void delete all[id])));
  });
  createEffect(() => void (is_page_hidden() || setTransfers(false)));
  return {
    of: (tab_id) => marks[tab_id],
    isSeen,
    mark(tab_id, mark) {
      if (!isSeen(tab_id) && ids().includes(tab_id)) update(tab_id, strongestOf(marks[tab_id], mark));
    },
    markTransfers: () => void setTransfers(is_page_hidden()),
    is_page_hidden,
    count: () => callsIn(marks) + (has_transfers() ? 1 : 0),
  };
}
