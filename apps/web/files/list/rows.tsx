import { createMemo, For, Show } from 'solid-js';
import type { ListWindow } from '../../parts/list-window.ts';
import type { FileDrops } from '../drag/drops.ts';
import type { DragStart } from '../drag/start.ts';
import type { FileTab } from '../file-tab.ts';
import type { Entry } from './entries.ts';
import { FileRow, rowId } from './row.tsx';
import { createRowClicks, type RowClicks } from './row-clicks.ts';

function isTyped(target: Element): boolean {
  return target.matches('input:not([type="checkbox"])');
}

interface RowsProps {
  readonly rows: ListWindow;
  readonly grid_id: string;
  readonly files: FileTab;
  readonly drops: FileDrops;
  readonly drag_start: DragStart;
  /** The grid has the focus, so a click inside must not move it. */
  readonly onFocus: () => void;
}

export const BLOCK_ROWS = 6; // each row by itself would restyle its cells when it moves
const NTHS = Array.from({ length: BLOCK_ROWS }, (_, nth) => nth);

/** The visible rows of the list. */
export function FileRows(props: RowsProps) {
  const clicks = createRowClicks<Entry>(props.files);
  return (
    <For each={props.rows.slots()}>
      {(slot) => {
        const first = createMemo(() => props.rows.firstIn(slot)); // the other blocks have not moved
        return <Block {...props} first={first()} clicks={clicks} />;
      }}
    </For>
  );
}

function Block(props: RowsProps & { first: number; clicks: RowClicks<Entry> }) {
  const is_named = () => {
    const renaming = props.files.renaming();
    const shown = () => props.files.entries().slice(props.first, props.first + BLOCK_ROWS);
    return renaming !== undefined && shown().some(({ path }) => path === renaming);
  };
  return (
    <tbody
      classList={{ 'file-block-named': is_named() }}
      style={{ transform: `translateY(${props.rows.topOf(props.first)}px)` }}
      onMouseUp={({ target }) => isTyped(target) || props.onFocus()} // not on mouse down: Chromium does not start a drag if the press moved the focus
      onDragEnd={() => props.onFocus()}
    >
      <For each={NTHS}>
        {(nth) => (
          <Show when={props.files.entries()[props.first + nth]}>
            {(entry) => (
              <FileRow
                entry={entry()}
                index={props.first + nth}
                id={rowId(props.grid_id, props.first + nth)}
                files={props.files}
                clicks={props.clicks}
                drops={props.drops}
                drag_start={props.drag_start}
                onFocus={props.onFocus}
              />
            )}
          </Show>
        )}
      </For>
    </tbody>
  );
}
