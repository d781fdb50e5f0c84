import { isConflict, isLocked } from './driver-errors.ts';

/** The longest a caller waits for the database, for any reason. */
export const PATIENCE_MS = 10_000;

const FIRST_PAUSE_MS = 5; // most writers hold the file for less
const LAST_PAUSE_MS = 100;
const MOST_ATTEMPTS = 6; // PostgreSQL takes a second to find a deadlock

/** Retries while another process holds the SQLite file, without blocking the event loop. */
export async function patiently<Result>(
  attempt: () => Result | PromiseLike<Result>,
  patience_ms = PATIENCE_MS,
): Promise<Result> {
  const until = performance.now() + patience_ms;
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(2 * pause_ms, LAST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
    }
    await pause(jittered(pause_ms));
  }
}

/**
 * Retries what PostgreSQL has rolled back because of others: a serialization failure or a deadlock. Only for a statement or
 * a transaction that can be run again as a whole; `left_ms` is what remains of the patience.
 */
export async function despiteConflicts<Result>(
  patience_ms: number,
  attempt: (left_ms: number) => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + patience_ms;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(Math.max(1, Math.round(until - performance.now())));
    } catch (error) {
      if (!isConflict(error) || attempts === MOST_ATTEMPTS || performance.now() > until) throw error;
    }
    await pause(jittered(FIRST_PAUSE_MS * 2 ** attempts));
  }
}

/** Two instances do not stay in step. */
function jittered(pause_ms: number): number {
  return pause_ms * (0.5 + Math.random() / 2);
}

function pause(pause_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pause_ms));
}
