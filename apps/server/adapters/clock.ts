import type { Clock } from '#core/ports/runtime.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed_ms: () => performance.now(),
  after(delay_ms, run) {
    const timer = setTimeout(run, delay_ms);
    return () => clearTimeout(timer);
  },
};
