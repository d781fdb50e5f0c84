import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { Entry } from '../files/list/entries.ts';

/** Entries of one directory, on their way within this page. */
export interface FileDrag {
  readonly kind: 'files';
  readonly tab_id: string;
  readonly server_id: number;
  readonly directory: string;
  readonly entries: readonly Entry[];
}

export interface TabDrag {
  readonly kind: 'tab';
  readonly tab_id: string;
}

export type Drag = FileDrag | TabDrag;

export interface DragState {
  /** The browser tells nobody what is dragged before it is dropped. */
  readonly drag: Accessor<Drag | undefined>;
  begin(event: DragEvent, drag: Drag): void;
}

const TYPES = { files: 'application/x-sallyport-files', tab: 'application/x-sallyport-tab' } as const;

/** What is dragged in this page; it ends with the drag, wherever that ends. */
export function createDragState(): DragState {
  const [drag, setDrag] = createSignal<Drag>();
  const end = () => setDrag(undefined);
  document.addEventListener('dragend', end);
  document.addEventListener('drop', end);
  onCleanup(() => {
    document.removeEventListener('dragend', end);
    document.removeEventListener('drop', end);
  });
  return {
    drag,
    begin(event, next) {
      event.dataTransfer?.setData(TYPES[next.kind], next.tab_id);
      if (event.dataTransfer) event.dataTransfer.effectAllowed = next.kind === 'tab' ? 'move' : 'copyMove';
      // Chromium ends a drag at once when the page changes below the pointer while it begins.
      setTimeout(() => setDrag(next));
    },
  };
}

export function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** A file that misses its place must not replace the page. */
export function refuseStrayDrops(): void {
  const refuse = (event: DragEvent) => {
    if (event.defaultPrevented || !holdsFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  };
  addEventListener('dragover', refuse);
  addEventListener('drop', refuse);
  onCleanup(() => {
    removeEventListener('dragover', refuse);
    removeEventListener('drop', refuse);
  });
}
