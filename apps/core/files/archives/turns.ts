import { Fault } from '../../errors.ts';
import { createFairSlots } from '../../lib/concurrency/fair-slots.ts';
import type { After } from '../../lib/time/timers.ts';
import { MAX_WAITING_ARCHIVES } from '../../limits.ts';

const AT_ONCE = 2; // each keeps up to 100,000 members in memory, and the processor busy
const WAITING = 1000; // of all users
const LEASE_MS = 10_000; // a slow host must not keep the archives of others waiting

interface Turn {
  readonly user_id: number;
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** Reads an archive when its user's turn comes. Throws `too_many_archives`. */
export type ArchiveTurns = <T>(turn: Turn, read: () => Promise<T>) => Promise<T>;

/** Over the whole process, because the directories of archives are the largest lists that requests keep in memory. */
export function createArchiveTurns(after: After): ArchiveTurns {
  const acquire = createFairSlots({
    concurrency: AT_ONCE,
    concurrency_per_owner: 1,
    max_waiting: WAITING,
    max_waiting_per_owner: MAX_WAITING_ARCHIVES,
    tooMany: () => new Fault('too_many_archives', undefined, { retry_after: 5 }),
  });
  return async ({ user_id, signal }, read) => {
    const release = await acquire(String(user_id), signal);
    const endLease = after(LEASE_MS, release);
    try {
      return await read();
    } finally {
      endLease();
      release();
    }
  };
}
