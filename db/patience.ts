import { isLocked } from './driver-errors.ts';

/** The longest a caller waits for the database, for any reason. */
export const PATIENCE_MS = 10_000;

const FIRST_PAUSE_MS = 5; // most writers hold the file for less
const LAST_PAUSE_MS = 100;

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

/** Two instances do not stay in step. */
function jittered(pause_ms: number): number {
  return pause_ms * (0.5 + Math.random() / 2);
}

function pause(pause_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pause_ms));
}
