import { Fault } from '../../errors.ts';
import type { Holds } from '../holds.ts';

const TTL_MS = 8000; // shorter than the wait, so that a client of a dead instance gets through

/** Lets one request at a time continue an upload. */
export interface UploadLocks {
  /**
   * A new request stops the previous one: a browser that reconnects cannot know that its old connection still hangs. Within
   * this process at once, at another instance within three seconds. The signal aborts when another request may write.
   */
  take<T>(upload_id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export function createUploadLocks(holds: Holds): UploadLocks {
  const latest = new Map<string, AbortController>();
  const busy = () => new Fault('upload_busy');

  async function held<T>(
    upload_id: string,
    superseded: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ) {
    const hold = await holds.wait(`upload:${upload_id}`, { ttl_ms: TTL_MS, busy, claims: true });
    try {
      const signal = AbortSignal.any([superseded, hold.lost]);
      signal.throwIfAborted();
      return await work(signal);
    } finally {
      await hold.release();
    }
  }

  return {
    async take(upload_id, work) {
      const superseded = new AbortController();
      latest.get(upload_id)?.abort(new Fault('upload_busy', 'A later request continues this upload'));
      latest.set(upload_id, superseded);
      try {
        return await held(upload_id, superseded.signal, work);
      } finally {
        if (latest.get(upload_id) === superseded) latest.delete(upload_id);
      }
    },
  };
}
