import type { App } from '../../app/context.ts';
import type { PagePlace } from '../../lib/root.ts';
import type { DragState } from '../../workspace/drag.ts';
import type { FileTab } from '../file-tab.ts';
import type { Entry } from '../list/entries.ts';

interface Deps {
  readonly app: App;
  readonly files: FileTab;
  readonly tab_id: string;
  readonly drags: DragState;
}

/** Drags the selection, or the single row under the pointer. */
export function createDragStart({ app, files, tab_id, drags }: Deps) {
  const is_coarse = matchMedia('(pointer: coarse)').matches; // touch scrolls instead of dragging
  return {
    isDraggable: (entry: Entry) => !is_coarse && entry.addressable && files.renaming() === undefined,
    onDragStart(event: DragEvent, index: number): void {
      const entry = files.entries()[index];
      if (!entry?.addressable) {
        event.preventDefault();
        return;
      }
      if (!files.isChosen(entry.path)) files.setCursor(index);
      const entries = files.targets();
      const { server_id } = files;
      showCount(
        app.place,
        event,
        entries.length === 1 ? entry.name : app.t('files_count', { count: entries.length }),
      );
      drags.begin(event, { kind: 'files', tab_id, server_id, directory: files.path(), entries });
    },
  };
}

export type DragStart = ReturnType<typeof createDragStart>;

/** Replaces the browser's drag image, which shows only one row. */
function showCount({ portal }: PagePlace, event: DragEvent, text: string): void {
  const label = (portal.mount ?? document.body).appendChild(document.createElement('div'));
  label.className = 'file-dragged';
  label.textContent = text;
  event.dataTransfer?.setDragImage(label, -12, -4);
  setTimeout(() => label.remove()); // by then the browser has captured the image
}
