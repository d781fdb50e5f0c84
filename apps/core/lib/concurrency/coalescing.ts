import { createLimiter } from './limiter.ts';

/** Runs the work once at a time. Callers that wait for their turn share one run, which starts after all their calls. */
export function createCoalescing<T>(work: () => Promise<T>): () => Promise<T> {
  const oneAtATime = createLimiter(1);
  let waiting: Promise<T> | undefined;
  return () => {
    waiting ??= oneAtATime(async () => {
      await Promise.resolve(); // `waiting` is set by now, also when the turn came at once
      waiting = undefined;
      return work();
    });
    return waiting;
  };
}
