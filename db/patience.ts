import { isLocked } from './driver-errors.ts';

/** How long a caller waits for the database, whatever the reason. */
export const PATIENCE_MS = 10_000;

const FIRST_PAUSE_MS = 5; // a writer usually holds the file for less
const LAST_PAUSE_MS = 100;

/** Tries again while another process holds SQLite's file; between two tries the event loop is free. */
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
    await pause(pause_ms * (0.5 + Math.random() / 2)); // two instances must not keep step
  }
}

function pause(pause_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pause_ms));
}
