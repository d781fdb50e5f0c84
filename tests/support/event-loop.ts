import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;

/** What the work gives, and how long it held up the event loop at most. */
export async function longestHold<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly held_ms: number; readonly result: Result }> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  try {
    const result = await work();
    return { held_ms: delays.max / 1e6 - RESOLUTION_MS, result };
  } finally {
    delays.disable();
  }
}
