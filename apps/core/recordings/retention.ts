import { type AuditTrail, THE_GATEWAY } from '../audit/trail.ts';
import { createGiveWay } from '../lib/concurrency/give-way.ts';
import type { RecordingRow } from '../model/recording.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Casts } from '../ports/casts.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import { describeRecording } from './entries.ts';

const DAY_MS = 24 * 3_600_000;
const SLICE = 100;

/** Removes the oldest recordings that are over the limits; those in progress stay. */
export interface RecordingRetention {
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly casts: Pick<Casts, 'remove'>;
  readonly trail: AuditTrail;
  readonly settings: InForce<'recording_retention_days' | 'recording_retention_bytes'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'info'>;
}

export function createRecordingRetention(deps: Deps): RecordingRetention {
  const { repositories, casts, trail, settings, clock, log } = deps;
  const { recordings } = repositories;

  /** Hidden at once; an instance with its directory or store deletes the file. False when somebody else did it. */
  async function hide({ id, file_path, directory_id }: RecordingRow): Promise<boolean> {
    if (directory_id !== null) return recordings.removeLater(id, clock.now().toISOString());
    await casts.remove(file_path); // from an older version: no instance would find it by its directory
    return recordings.remove(id);
  }

  async function remove(row: RecordingRow, why: string): Promise<boolean> {
    const is_removed = await hide(row);
    if (is_removed) await trail.record(THE_GATEWAY, 'recording_delete', `${describeRecording(row)}: ${why}`);
    return is_removed;
  }

  async function removeOld(days: number, signal: AbortSignal): Promise<number> {
    const ended_before = new Date(clock.now().getTime() - days * DAY_MS).toISOString();
    const slices = slicesOf(() => recordings.oldest(SLICE, ended_before), signal);
    let removed = 0;
    for await (const row of slices) if (await remove(row, `older than ${days} days`)) removed += 1;
    return removed;
  }

  async function removeBeyond(bytes: number, signal: AbortSignal): Promise<number> {
    let excess = (await recordings.totalBytes()) - bytes;
    let removed = 0;
    if (excess <= 0) return removed;
    for await (const row of slicesOf(() => recordings.oldest(SLICE), signal)) {
      if (await remove(row, `beyond ${bytes} bytes in all`)) removed += 1;
      excess -= row.size_bytes ?? 0; // one that was removed by somebody else no longer counts either
      if (excess <= 0) break;
    }
    return removed;
  }

  return {
    async run(signal) {
      const { recording_retention_days: days, recording_retention_bytes: bytes } = settings.values;
      const old = days > 0 ? await removeOld(days, signal) : 0;
      const beyond = bytes > 0 ? await removeBeyond(bytes, signal) : 0;
      if (old + beyond > 0) log.info({ recordings: old + beyond }, 'Removed old recordings');
    },
  };
}

/** Each slice is read after the one before is removed; it ends when a slice is empty or is the same again. */
async function* slicesOf(
  next: () => Promise<RecordingRow[]>,
  signal: AbortSignal,
): AsyncGenerator<RecordingRow> {
  const giveWay = createGiveWay();
  for (let last_id = 0; ; ) {
    const [first, ...others] = await next();
    if (!first || first.id === last_id) return;
    last_id = first.id;
    for (const row of [first, ...others]) {
      if (signal.aborted) return;
      yield row;
      await giveWay();
    }
  }
}
