import { onCleanup } from 'solid-js';

const HOVER_MS = 600; // long enough not to open what is only passed

export interface Spring {
  onDragEnter(): void;
  onDragLeave(): void;
}

/** Opens what something dragged rests on. */
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
