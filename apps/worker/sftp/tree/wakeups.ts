export interface Wakeups {
  /** Something has changed. */
  tell(): void;
  /** Until something changes; rejects when the signal aborts. */
  next(): Promise<void>;
}

interface Waiting {
  readonly wake: () => void;
  readonly fail: (reason: unknown) => void;
}

/** For those that wait for one another: whoever waits is woken at every change, and looks again. */
export function createWakeups(signal: AbortSignal): Wakeups {
  let waiting: Waiting[] = [];
  function takeAll(): Waiting[] {
    const all = waiting;
    waiting = [];
    return all;
  }
  const abort = () => {
    for (const { fail } of takeAll()) fail(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  return {
    tell() {
      for (const { wake } of takeAll()) wake();
    },
    next: () =>
      new Promise((wake, fail) => {
        if (signal.aborted) fail(signal.reason);
        else waiting.push({ wake, fail });
      }),
  };
}
