import { withDeadline } from '#core/lib/time/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Connection } from '../../ssh/connection.ts';

const PROBE_AFTER_MS = 1000;
const PROBE_MS = 3000;

interface Probed {
  /** Resolves with any answer of the host. */
  readonly ask: () => Promise<void>;
  readonly clock: Clock;
}

/** Whether the host still answers; a dropped line looks like an idle one. Simultaneous callers share one request. */
export function createProbe(connection: Connection, { ask, clock }: Probed): () => Promise<boolean> {
  let probing: Promise<boolean> | undefined;
  async function probe(): Promise<boolean> {
    const error = () => new Error(`The host did not answer within ${PROBE_MS} ms`);
    const answered = ask().then(() => true);
    const is_answered = await withDeadline(answered, { after: clock.after, ms: PROBE_MS, error }).catch(
      () => false,
    );
    return is_answered && !connection.ended();
  }
  return async () => {
    if (connection.silent_ms() < PROBE_AFTER_MS) return true;
    probing ??= probe().finally(() => {
      probing = undefined;
    });
    return probing;
  };
}
