import { systemAfter } from '#core/lib/time/timers.ts';
import type { Clock } from '#core/ports/runtime.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed_ms: () => performance.now(),
  after: systemAfter,
};
