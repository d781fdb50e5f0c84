import { isPassing } from '#client/transfers/passing.ts';
import { ClientError } from '#client/transport/client-error.ts';
import { retryDelay } from '../../lib/follow.ts';

const NETWORK_ATTEMPTS = 45; // ten minutes without a network
const OTHER_ATTEMPTS = 8; // most of a minute for a busy or unreachable host

export interface Patience {
  /** Progress was made: resets the failure count. */
  progressed(): void;
  /** Waits until a retry makes sense, or throws the failure if none does. */
  await(failure: ClientError, signal: AbortSignal): Promise<void>;
}

export function createPatience(random: () => number = Math.random): Patience {
  let failures = 0;
  return {
    progressed() {
      failures = 0;
    },
    async await(failure, signal) {
      failures += 1;
      const most = failure.status === 0 ? NETWORK_ATTEMPTS : OTHER_ATTEMPTS;
      if (!isPassing(failure) || failures > most) throw failure;
      const told_ms = (failure.retry_after ?? 0) * 1000;
      await pause(Math.max(told_ms, retryDelay(failures, random)), signal);
    },
  };
}

/** Retries an idempotent request through transient failures. */
export async function persist<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onRetry: (failure: ClientError) => void = () => undefined,
): Promise<T> {
  const patience = createPatience();
  for (;;) {
    try {
      return await work();
    } catch (failure) {
      if (!(failure instanceof ClientError)) throw failure;
      if (isPassing(failure)) onRetry(failure);
      await patience.await(failure, signal);
    }
  }
}

/** Resolves early when the network is back, and throws when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    globalThis.addEventListener?.('online', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
  signal.throwIfAborted();
}
