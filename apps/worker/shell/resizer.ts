import type { Clock } from '#core/ports/runtime.ts';
import type { PtySize } from '#core/ports/ssh.ts';

const RESIZE_EVERY_MS = 50; // resizes wait for no window: on a host that reads nothing they would pile up

export interface Resizer {
  resize(size: PtySize): void;
  stop(): void;
}

/** Applies the first new size at once, of those that follow too soon only the latest. */
export function createResizer(clock: Clock, size: PtySize, apply: (size: PtySize) => void): Resizer {
  let applied = size;
  let wanted = size;
  let cancel: (() => void) | undefined;
  function settle(): void {
    cancel = undefined;
    if (wanted.cols === applied.cols && wanted.rows === applied.rows) return;
    applied = wanted;
    apply(applied);
    cancel = clock.after(RESIZE_EVERY_MS, settle);
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
