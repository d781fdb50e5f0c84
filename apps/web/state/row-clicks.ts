import type { FileTab } from './files.ts';
import type { Entry } from './listing.ts';

export interface RowClicks {
  /** Beside the name: chooses; with a finger, opens. */
  onRow(entry: Entry, event: RowClick): void;
  onName(entry: Entry, event: RowClick): void;
  onDouble(entry: Entry): void;
}

type RowClick = Pick<MouseEvent, 'detail'> & { readonly pointerType?: string };

/** Of a double click only one opens: the second may already meet the list of the directory that the first opened. */
export function createRowClicks({ openEntry }: Pick<FileTab, 'openEntry'>): RowClicks {
  let pressed: string | undefined; // where the present series of clicks began
  return {
    onRow(entry, { detail, pointerType }) {
      if (detail > 1) return;
      pressed = entry.path;
      if (pointerType === 'touch') openEntry(entry);
    },
    onName(entry, { detail }) {
      if (detail > 1) return;
      pressed = undefined;
      openEntry(entry);
    },
    onDouble: (entry) => pressed === entry.path && openEntry(entry),
  };
}
