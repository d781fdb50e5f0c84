/** So many pieces of work side by side; whoever adds one waits for room, not for its end. */
export interface Lane {
  /** The work settles its own failures. */
  add(work: () => Promise<void>): Promise<void>;
  /** All that was added is over. */
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
