import type { Background, Log } from '#core/ports/runtime.ts';

export interface DrainableBackground extends Background {
  /** Resolves when nothing is under way. */
  drain(): Promise<void>;
}

export function createBackground(log: Log): DrainableBackground {
  const running = new Set<Promise<unknown>>();
  return {
    run(what, work) {
      const logged = work.catch((err) => log.error({ err, what }, 'background work failed'));
      running.add(logged);
      void logged.finally(() => running.delete(logged));
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
