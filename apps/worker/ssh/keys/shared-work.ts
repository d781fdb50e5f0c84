import { untilAborted } from '#core/lib/time/deadline.ts';

interface Shared<T> {
  readonly abort: AbortController;
  readonly result: Promise<T>;
  waiting: number;
}

/** Everybody who asks for the same thing at once shares the work, which is aborted when the last of them gives up. */
export function createSharedWork<T>() {
  const running = new Map<string, Shared<T>>();

  function start(name: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController();
    const shared: Shared<T> = { abort, result: work(abort.signal), waiting: 0 };
    running.set(name, shared);
    shared.result.catch(() => undefined).finally(() => forget(name, shared));
    return shared;
  }

  function forget(name: string, shared: Shared<T>): void {
    if (running.get(name) === shared) running.delete(name);
  }

  return async (
    name: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    signal?.throwIfAborted();
    const shared = running.get(name) ?? start(name, work);
    shared.waiting += 1;
    try {
      return signal ? await untilAborted(signal, shared.result) : await shared.result;
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        forget(name, shared);
        shared.abort.abort(signal?.reason);
      }
    }
  };
}
