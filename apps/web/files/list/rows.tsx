import type { VirtualItem } from '@tanstack/solid-virtual';
import { For, Show } from 'solid-js';
import type { FileDrops } from '../drag/drops.ts';
import type { DragStart } from '../drag/start.ts';
import type { FileTab } from '../file-tab.ts';
import { FileRow, rowId } from './row.tsx';
import { createRowClicks } from './row-clicks.ts';

function isTyped(target: Element): boolean {
  return target.matches('input:not([type="checkbox"])');
}

interface RowsProps {
  readonly items: readonly VirtualItem[];
  readonly grid_id: string;
  readonly height_px: number;
  readonly files: FileTab;
  readonly drops: FileDrops;
  readonly drag_start: DragStart;
  /** The grid has the focus, so a click inside must not move it. */
  readonly onFocus: () => void;
}

/** The visible rows of the list. */
export function FileRows(props: RowsProps) {
  const clicks = createRowClicks(props.files);
  return (
    // Not on mouse down: Chromium does not start a drag if the press moved the focus.
    <tbody onMouseUp={({ target }) => isTyped(target) || props.onFocus()} onDragEnd={() => props.onFocus()}>
      <For each={props.items}>
        {(item) => (
          <Show when={props.files.entries()[item.index]}>
            {(entry) => (
              <FileRow
                entry={entry()}
                index={item.index}
                id={rowId(props.grid_id, item.index)}
                top_px={item.start}
                height_px={props.height_px}
                files={props.files}
                clicks={clicks}
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
