import { onCleanup } from 'solid-js';

const HOVER_MS = 600; // long enough not to open what the drag only passes over

export interface Spring {
  onDragEnter(): void;
  onDragLeave(): void;
}

/** Opens a tab or folder when a drag hovers over it. */
export function createSpring(open: () => void): Spring {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = () => clearTimeout(timer);
  onCleanup(leave);
  return {
    onDragEnter() {
      leave();
      timer = setTimeout(open, HOVER_MS);
    },
    onDragLeave: leave,
  };
}
