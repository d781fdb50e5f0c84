import { every } from '../lib/time/timers.ts';
import type { DiskReserve } from '../ports/disk-reserve.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';

const INTERVAL_MS = 30_000;

interface Ports {
  readonly disk_reserve: DiskReserve;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

/** Keeps the reserve, and logs when the disk is full and when it has room again. */
export function startDiskReserve({ disk_reserve, clock, background, log }: Ports): () => void {
  let was_full = false;
  async function round(): Promise<void> {
    await disk_reserve.fill();
    const is_full = disk_reserve.isFull();
    if (is_full && !was_full) log.error({}, 'The disk of the database is full');
    if (!is_full && was_full) log.info({}, 'The disk of the database has room again');
    was_full = is_full;
  }
  return every(clock.after, INTERVAL_MS, () => background.run('keep the disk reserve', round()));
}
