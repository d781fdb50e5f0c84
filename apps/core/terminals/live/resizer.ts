import type { After } from '../../lib/timers.ts';
import type { PtySize } from '../../ports/ssh.ts';

// No window holds resizes back: at a host that reads nothing, in a recording and before a guest they would pile up.
const RESIZE_EVERY_MS = 50;

export interface Resizer {
  resize(size: PtySize): void;
  stop(): void;
}

/** Applies the first new size at once, of those that follow too soon only the latest. */
export function createResizer(after: After, size: PtySize, apply: (size: PtySize) => void): Resizer {
  let applied = size;
  let wanted = size;
  let cancel: (() => void) | undefined;
  function settle(): void {
    cancel = undefined;
    if (wanted.cols === applied.cols && wanted.rows === applied.rows) return;
    applied = wanted;
    apply(applied);
    cancel = after(RESIZE_EVERY_MS, settle);
  }
  return {
    resize(size) {
      wanted = size;
      if (!cancel) settle();
    },
    stop() {
      cancel?.();
      cancel = () => {};
    },
  };
}
