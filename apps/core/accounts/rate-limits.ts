import { Fault, type FaultCode } from '../errors.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

export interface RateLimit {
  readonly name: string;
  readonly limit: number;
  readonly window_s: number;
  /** Instead of `rate_limited`. */
  readonly code?: FaultCode;
}

/** Fixed windows, counted in the database so that all instances share one count. */
export interface RateLimits {
  /** Counts one hit for `subject`; throws the rate's code beyond the limit. */
  hit(rate: RateLimit, subject: string): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'rate_limits'>;
  readonly clock: Clock;
}

export function createRateLimits({ repositories, clock }: Deps): RateLimits {
  return {
    async hit({ name, limit, window_s, code = 'rate_limited' }, subject) {
      const now = clock.now();
      const inWindows = (count: number) => new Date(now.getTime() + count * window_s * 1000).toISOString();
      const window = await repositories.rate_limits.hit({
        key: `${name}:${subject}`,
        now: now.toISOString(),
        window_ends_at: inWindows(1),
        latest_end: inWindows(2), // the clocks of the instances may differ
      });
      if (window.count <= limit) return;
      const left_ms = Date.parse(window.window_ends_at) - now.getTime();
      throw new Fault(code, undefined, { retry_after: Math.max(1, Math.ceil(left_ms / 1000)) });
    },
  };
}
