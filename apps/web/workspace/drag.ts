import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { Schemas } from '#client/client.ts';
import type { PagePlace } from '../lib/root.ts';

/** Directory entries dragged within this page. */
export interface FileDrag {
  readonly kind: 'files';
  readonly tab_id: string;
  readonly server_id: number;
  readonly directory: string;
  readonly entries: readonly Schemas['DirectoryEntry'][];
}

export interface TabDrag {
  readonly kind: 'tab';
  readonly tab_id: string;
}

export type Drag = FileDrag | TabDrag;

export interface DragState {
  /** Kept here because browsers hide the drag data until the drop. */
  readonly drag: Accessor<Drag | undefined>;
  begin(event: DragEvent, drag: Drag): void;
}

const TYPES = { files: 'application/x-sallyport-files', tab: 'application/x-sallyport-tab' } as const;

/** Tracks what is dragged within this page until the drag ends. */
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
      // Chromium cancels a drag if the DOM under the pointer changes during `dragstart`.
      setTimeout(() => setDrag(next));
    },
  };
}

export function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** Refuses files dropped outside a drop area; the browser would open them in place of the page, also of one around it. */
export function refuseStrayDrops({ root, is_guest }: PagePlace): void {
  const refuse = (event: Event) => {
    if (!(event instanceof DragEvent) || event.defaultPrevented || !holdsFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  };
  const heard: EventTarget = is_guest ? root : window;
  heard.addEventListener('dragover', refuse);
  heard.addEventListener('drop', refuse);
  onCleanup(() => {
    heard.removeEventListener('dragover', refuse);
    heard.removeEventListener('drop', refuse);
  });
}
