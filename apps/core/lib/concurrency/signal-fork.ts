export interface SignalFork {
  /** Runs `work` with its own signal, which aborts with the forked one. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Removes the listener. */
  close(): void;
}

/** Uses a single listener on `signal` for any amount of work: Node warns of a leak when a signal has many listeners. */
export function forkSignal(signal: AbortSignal): SignalFork {
  const under_way = new Set<AbortController>();
  const abortAll = () => {
    for (const controller of under_way) controller.abort(signal.reason);
  };
  signal.addEventListener('abort', abortAll);
  return {
    async during(work) {
      signal.throwIfAborted();
      const controller = new AbortController();
      under_way.add(controller);
      try {
        return await work(controller.signal);
      } finally {
        under_way.delete(controller);
      }
    },
    close: () => signal.removeEventListener('abort', abortAll),
  };
}
