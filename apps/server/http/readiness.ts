import { Fault } from '#core/errors.ts';
import { withDeadline } from '#core/lib/deadline.ts';
import type { After } from '#core/lib/timers.ts';

const LONGEST_MS = 2000; // a load balancer gives up after a few seconds

export interface Readiness {
  /** From now on it says `shutting_down`. */
  drain(): void;
  /** Throws the Fault that says why no request should be sent here. */
  assertReady(): Promise<void>;
}

/** Whether this instance may be sent requests: its database answers, and it is not about to stop. */
export function createReadiness(beat: () => Promise<void>, after: After): Readiness {
  let is_draining = false;
  let beating: Promise<void> | undefined; // one at a time: a database that hangs is not asked more and more

  async function answered(): Promise<void> {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    const error = () => new Fault('database_unavailable');
    try {
      await withDeadline(beating, { after, ms: LONGEST_MS, error });
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
