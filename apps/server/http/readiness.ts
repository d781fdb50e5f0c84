import { Fault } from '#core/errors.ts';
import { withDeadline } from '#core/lib/time/deadline.ts';
import type { After } from '#core/lib/time/timers.ts';

const TIMEOUT_MS = 2000; // load balancers give up after a few seconds

export interface Readiness {
  /** From now on `assertReady` throws `shutting_down`. */
  drain(): void;
  /** Throws a Fault with the reason why this instance should get no requests. */
  assertReady(): Promise<void>;
}

/** Ready: the database answers and the gateway is not shutting down. */
export function createReadiness(beat: () => Promise<void>, after: After): Readiness {
  let is_draining = false;
  let beating: Promise<void> | undefined; // one at a time, so that a hanging database does not collect queries

  async function answered(): Promise<void> {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    const error = () => new Fault('database_unavailable');
    try {
      await withDeadline(beating, { after, ms: TIMEOUT_MS, error });
    } catch (cause) {
      throw cause instanceof Fault ? cause : new Fault('database_unavailable', undefined, { cause });
    }
  }

  return {
    drain() {
      is_draining = true;
    },
    async assertReady() {
      if (!is_draining) await answered();
      if (is_draining) throw new Fault('shutting_down');
    },
  };
}
