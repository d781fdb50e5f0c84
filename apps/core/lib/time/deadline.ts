import type { After } from './timers.ts';

export interface DeadlineOptions {
  readonly after: After;
  readonly ms: number;
  /** What the work fails with once the time is up. */
  readonly error: () => Error;
}

export interface Deadline {
  /** Aborts with `error()` when the time is up. */
  readonly signal: AbortSignal;
  cancel(): void;
}

export function startDeadline({ after, ms, error }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const cancel = after(ms, () => controller.abort(error()));
  return { signal: controller.signal, cancel };
}

/** Rejects with `error()` when the work takes longer than `ms`. The work itself is not stopped. */
export async function withDeadline<T>(work: Promise<T>, options: DeadlineOptions): Promise<T> {
  const { signal, cancel } = startDeadline(options);
  try {
    return await untilAborted(signal, work);
  } finally {
    cancel();
  }
}

/** Rejects with the signal's reason as soon as it aborts. The work itself has to watch the signal to stop. */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Settle<T> = (value: T) => void;

/** A promise around callbacks that rejects as soon as `signal` aborts; `start` returns a function that undoes its work. */
export function abortable<T>(
  signal: AbortSignal,
  start: (resolve: Settle<T>, reject: Settle<unknown>) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let undo = () => {};
    const onAbort = () => {
      undo();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const settled = () => signal.removeEventListener('abort', onAbort);
    undo = start(
      (value) => {
        settled();
        resolve(value);
      },
      (reason) => {
        settled();
        reject(reason);
      },
    );
  });
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function pause(after: After, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = after(ms, done);
    signal?.addEventListener('abort', done);
  });
}
