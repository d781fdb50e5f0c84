import type { ListCursor } from './cursor.ts';
import { reachOf } from './selection.ts';

export interface RowClicks<Item> {
  /** A click beside the name selects; a tap opens. */
  onRow(entry: Item, index: number, event: RowClick): void;
  onName(entry: Item, index: number, event: RowClick): void;
  onDouble(entry: Item): void;
}

type RowClick = Pick<MouseEvent, 'detail' | 'shiftKey' | 'ctrlKey' | 'metaKey'> & {
  readonly pointerType?: string;
};

interface Options<Item> extends Pick<ListCursor<Item>, 'reach' | 'walk' | 'selected'> {
  openEntry(entry: Item): void;
}

/** Only one click of a double click opens: the second may already hit the list that the first opened. */
export function createRowClicks<Item extends { readonly path: string }>({
  openEntry,
  reach,
  walk,
  selected,
}: Options<Item>): RowClicks<Item> {
  let pressed: string | undefined; // where the current series of clicks started

  /** Clicks only select if a modifier is held, and taps if something is selected. */
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
