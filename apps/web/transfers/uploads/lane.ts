/** Runs a limited number of tasks in parallel. Adding one waits for a free slot, not for the task to finish. */
export interface Lane {
  /** The task handles its own failures. */
  add(work: () => Promise<void>): Promise<void>;
  /** Resolves when all tasks have finished. */
  drained(): Promise<void>;
}

export function createLane(width: number): Lane {
  const running = new Set<Promise<void>>();
  return {
    async add(work) {
      while (running.size >= width) await Promise.race(running);
      const own: Promise<void> = work().finally(() => running.delete(own));
      running.add(own);
    },
    async drained() {
      await Promise.allSettled(running);
    },
  };
}
