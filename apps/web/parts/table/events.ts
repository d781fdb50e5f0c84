import { type Reach, rowAfter } from './selection.ts';
import type { TableState } from './state.ts';

const PAGE_ROWS = 15;
const OWN_ACTION = 'button:not(.table-name), a, input, label, summary, [role="switch"], .switch';

interface Options {
  readonly is_selectable: () => boolean;
  /** Moves the focus to a row's name. */
  readonly focus: (index: number) => void;
}

type RowEvent<E extends Event> = E & { readonly currentTarget: HTMLElement; readonly target: Element };

/** Clicks and keys in the rows of a table. */
export function createRowEvents<T>(table: TableState<T>, { is_selectable, focus }: Options) {
  const keys = createRowKeys(table, { is_selectable, focus });

  /** Menus and dialogs of a row are elsewhere in the page, but their events come here too. */
  function indexOf({ target, currentTarget }: RowEvent<Event>): number | undefined {
    const row = currentTarget.contains(target) ? target.closest<HTMLElement>('tr[data-index]') : null;
    return row ? Number(row.dataset['index']) : undefined;
  }

  function show(index: number): void {
    const row = table.rows()[index];
    if (row !== undefined) table.show(row);
  }

  function onClick(event: RowEvent<MouseEvent>): void {
    const index = indexOf(event);
    if (index === undefined) return;
    const box = event.target.closest('.table-check');
    if (box) {
      if (event.target instanceof HTMLInputElement)
        table.reach(index, event.shiftKey ? 'range_more' : 'toggle');
      return;
    }
    if (event.target.closest(OWN_ACTION)) return;
    const reach = is_selectable() ? reachOf(event) : undefined;
    if (reach) table.reach(index, reach);
    else if (getSelection()?.isCollapsed !== false || event.target.closest('.table-name')) show(index);
  }

  /** Shift and a click select rows, not the text between them. */
  function onMouseDown(event: RowEvent<MouseEvent>): void {
    if (is_selectable() && event.shiftKey) event.preventDefault();
  }

  function onKeyDown(event: RowEvent<KeyboardEvent>): void {
    const index = indexOf(event);
    if (index === undefined || !event.target.matches('.table-name')) return;
    if (keys(event, index)) event.preventDefault();
  }

  return { onClick, onMouseDown, onKeyDown };
}

/** Returns whether the key was one of the table's. */
function createRowKeys<T>(table: TableState<T>, { is_selectable, focus }: Options) {
  function isHandled(event: KeyboardEvent, index: number): boolean {
    if (event.key === 'Escape') return isLeft();
    if (is_selectable() && event.key === ' ') {
      table.reach(index, event.shiftKey ? 'range_more' : 'toggle');
      return true;
    }
    if (is_selectable() && event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      table.chooseAll();
      return true;
    }
    return isMoved(event, index);
  }

  function isMoved({ key, shiftKey }: KeyboardEvent, index: number): boolean {
    const to = rowAfter(key, index, { last: table.rows().length - 1, page: PAGE_ROWS });
    if (to === undefined) return false;
    if (shiftKey && is_selectable()) {
      if (table.chosen().length === 0) table.reach(index, 'toggle');
      table.reach(to, 'range');
    }
    focus(to);
    return true;
  }

  /** Escape closes the details, and then ends the selection. */
  function isLeft(): boolean {
    if (table.open()) table.close();
    else if (table.chosen().length > 0) table.chooseNone();
    else return false;
    return true;
  }

  return isHandled;
}

export function reachOf({ shiftKey, ctrlKey, metaKey }: MouseEvent): Reach | undefined {
  const is_more = ctrlKey || metaKey;
  if (shiftKey) return is_more ? 'range_more' : 'range';
  return is_more ? 'toggle' : undefined;
}
