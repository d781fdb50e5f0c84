export interface SignalFork {
  /** Gives `work` a signal of its own, which aborts with the one that was forked. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Listens no more. */
  close(): void;
}

/** One listener on `signal`, however much hangs on it: Node takes many listeners on one signal for a leak, and says so. */
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
