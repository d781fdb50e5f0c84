import type { ActivityRegistry } from '../activities/registry.ts';
import { Fault } from '../errors.ts';
import { endable } from '../lib/bytes/endable.ts';
import { MAX_DOWNLOADS } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { Meter } from '../ports/meter.ts';
import type { Clock } from '../ports/runtime.ts';
import { holdTransfer } from './access.ts';

const UNREAD_MS = 15 * 60_000; // a paused player requests the rest again

/** A slot for one download; ended by the stream or by `leave`. */
export interface DownloadSlot {
  /** Aborts when the caller loses access or reads nothing for too long. */
  stream(
    server: ServerRow,
    open: (signal: AbortSignal) => ReadableStream<Uint8Array>,
  ): ReadableStream<Uint8Array>;
  leave(): void;
}

export interface DownloadSlots {
  /** Throws `too_many_downloads`. */
  begin(caller: Caller): DownloadSlot;
}

interface Deps {
  readonly activities: ActivityRegistry;
  readonly clock: Clock;
  readonly meter: Pick<Meter, 'add'>;
}

export function createDownloadSlots({ activities, clock, meter }: Deps): DownloadSlots {
  const counts = new Map<number, number>(); // by user id

  function add(user_id: number, change: 1 | -1): void {
    const count = (counts.get(user_id) ?? 0) + change;
    if (count === 0) counts.delete(user_id);
    else counts.set(user_id, count);
  }

  return {
    begin(caller) {
      const { user_id } = caller;
      if ((counts.get(user_id) ?? 0) >= MAX_DOWNLOADS) {
        throw new Fault('too_many_downloads', undefined, { retry_after: 5 });
      }
      add(user_id, 1);
      let has_left = false;
      const leave = () => {
        if (!has_left) add(user_id, -1);
        has_left = true;
      };
      return {
        leave,
        stream(server, open) {
          const { signal, release } = holdTransfer(activities, caller, server);
          const onOver = () => {
            release();
            leave();
          };
          const unread = { after: clock.after, ms: UNREAD_MS, error: () => new Fault('download_unread') };
          const onBytes = (bytes: number) => meter.add('bytes_down', bytes);
          const { stream, end } = endable(open(signal), { onOver, onBytes, unread });
          signal.addEventListener('abort', () => end(signal.reason), { once: true });
          return stream;
        },
      };
    },
  };
}
