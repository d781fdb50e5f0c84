import type { FileTab } from '../file-tab.ts';
import type { Entry } from './entries.ts';
import { reachOf } from './selection.ts';

export interface RowClicks {
  /** Beside the name: chooses; with a finger, opens. */
  onRow(entry: Entry, index: number, event: RowClick): void;
  onName(entry: Entry, index: number, event: RowClick): void;
  onDouble(entry: Entry): void;
}

type RowClick = Pick<MouseEvent, 'detail' | 'shiftKey' | 'ctrlKey' | 'metaKey'> & {
  readonly pointerType?: string;
};

/** Of a double click only one opens: the second may already meet the list of the directory that the first opened. */
export function createRowClicks({
  openEntry,
  reach,
  walk,
  selected,
}: Pick<FileTab, 'openEntry' | 'reach' | 'walk' | 'selected'>): RowClicks {
  let pressed: string | undefined; // where the present series of clicks began

  /** With a modifier, or with a finger once something is chosen, clicks only choose. */
  function chooses(index: number, event: RowClick): boolean {
    const is_touch = event.pointerType === 'touch';
    const how = is_touch && selected().length > 0 ? 'toggle' : reachOf(event);
    if (is_touch && how === 'one') walk(index);
    else reach(index, how);
    if (how !== 'one') pressed = undefined;
    return how !== 'one';
  }
  return {
    onRow(entry, index, event) {
      if (event.detail > 1 && reachOf(event) === 'one') return;
      if (chooses(index, event)) return;
      pressed = entry.path;
      if (event.pointerType === 'touch') openEntry(entry);
    },
    onName(entry, index, event) {
      if (event.detail > 1 && reachOf(event) === 'one') return;
      if (chooses(index, event)) return;
      pressed = undefined;
      openEntry(entry);
    },
    onDouble: (entry) => pressed === entry.path && openEntry(entry),
  };
}
