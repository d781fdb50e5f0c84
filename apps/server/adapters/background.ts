import type { Background, Log } from '#core/ports/runtime.ts';

export interface DrainableBackground extends Background {
  /** Resolves when no work is in progress. */
  drain(): Promise<void>;
}

export function createBackground(log: Log): DrainableBackground {
  const running = new Set<Promise<unknown>>();
  return {
    run(what, work) {
      const logged = work.catch((err) => log.error({ err, what }, 'Background work failed'));
      running.add(logged);
      void logged.finally(() => running.delete(logged));
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
