import { withDeadline } from '#core/lib/deadline.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Connection } from '../../ssh/connection.ts';
import type { SftpChannel } from '../protocol/channel.ts';

const PROBE_AFTER_MS = 1000;
const PROBE_MS = 3000;

interface Probed {
  readonly metadata: () => Promise<SftpChannel>;
  readonly clock: Clock;
}

/** Whether the host still answers; a dropped line looks like an idle one. Simultaneous callers share one request. */
export function createProbe(connection: Connection, { metadata, clock }: Probed): () => Promise<boolean> {
  let probing: Promise<boolean> | undefined;
  async function probe(): Promise<boolean> {
    const error = () => new Error(`The host did not answer within ${PROBE_MS} ms`);
    let is_answered = false;
    const ask = async () => {
      const channel = await metadata();
      await channel.realpath('.').finally(() => {
        is_answered = true; // a refusal is an answer too
      });
    };
    await withDeadline(ask(), { after: clock.after, ms: PROBE_MS, error }).catch(() => undefined);
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
