import type { Clock } from '#core/ports/runtime.ts';

export interface SilenceWatch {
  /** Something is waited for, also if it was before. */
  start(): void;
  heard(): void;
  stop(): void;
}

/** Tells when nothing was heard for `silence_ms`; a clock that leaps, as after a sleep of the machine, counts for little. */
export function createSilenceWatch(clock: Clock, silence_ms: number, silent: () => void): SilenceWatch {
  let cancel: (() => void) | undefined;
  let misses = 0;
  function tick(): void {
    misses += 1;
    if (misses > 2) silent();
    else cancel = clock.after(silence_ms / 2, tick);
  }
  return {
    start() {
      if (cancel) return;
      misses = 0;
      cancel = clock.after(silence_ms / 2, tick);
    },
    heard() {
      misses = 0;
    },
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
