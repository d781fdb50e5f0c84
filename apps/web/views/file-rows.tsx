import type { VirtualItem } from '@tanstack/solid-virtual';
import { For, Show } from 'solid-js';
import type { DragStart } from '../state/file-drag-start.ts';
import type { FileDrops } from '../state/file-drops.ts';
import type { FileTab } from '../state/files.ts';
import { createRowClicks } from '../state/row-clicks.ts';
import { FileRow, rowId } from './file-row.tsx';

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
  /** The grid takes the keys, so a click inside must not take the focus from it. */
  readonly onFocus: () => void;
}

/** Those rows of the list that are in sight. */
export function FileRows(props: RowsProps) {
  const clicks = createRowClicks(props.files);
  return (
    // Not with the press itself: Chromium begins no drag with a press that moved the focus elsewhere.
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
