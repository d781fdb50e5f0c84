import type { Clock } from '#core/ports/runtime.ts';

/** Time that passes when the test says so. */
export interface HandClock extends Clock {
  /** In small steps, since what a timer begins may set the next one. */
  pass(ms: number): Promise<void>;
  timers(): number;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

export function handClock(step_ms = 100): HandClock {
  const timers = new Set<{ at_ms: number; run: () => void }>();
  let now_ms = Date.parse('2026-01-02T03:04:05.678Z');
  return {
    now: () => new Date(now_ms),
    elapsed_ms: () => now_ms,
    after(delay_ms, run) {
      const timer = { at_ms: now_ms + delay_ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async pass(ms) {
      const until_ms = now_ms + ms;
      while (now_ms < until_ms) {
        now_ms = Math.min(until_ms, now_ms + step_ms);
        for (const timer of [...timers].filter(({ at_ms }) => at_ms <= now_ms)) {
          timers.delete(timer);
          timer.run();
        }
        await settled();
      }
    },
    timers: () => timers.size,
  };
}
