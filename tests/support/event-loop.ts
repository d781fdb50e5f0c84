const TICK_MS = 1;

/**
 * What the work gives, and how long it held up the event loop at most: in time of the processor, since a machine with
 * other work to do makes everything look long.
 */
export async function longestHold<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly held_ms: number; readonly result: Result }> {
  let before = process.cpuUsage();
  let longest_us = 0;
  const tick = () => {
    const { user, system } = process.cpuUsage(before);
    longest_us = Math.max(longest_us, user + system);
    before = process.cpuUsage();
  };
  const timer = setInterval(tick, TICK_MS);
  try {
    const result = await work();
    tick(); // the timer has not fired yet if the work never gave way
    return { held_ms: longest_us / 1000, result };
  } finally {
    clearInterval(timer);
  }
}
