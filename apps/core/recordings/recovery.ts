import { Fault } from '../errors.ts';
import type { RecordingRow } from '../model/recording.ts';
import type { CastEnd, Casts } from '../ports/casts.ts';
import type { RecordingEnd } from '../ports/repositories/recordings.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background } from '../ports/runtime.ts';
import type { Closings } from './closings.ts';
import type { RecordingsDirectory } from './directory.ts';

const AT_ONCE = 100;

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly casts: Casts;
  readonly directory: RecordingsDirectory;
  readonly closings: Closings;
  readonly background: Background;
  readonly run_id: string;
}

/**
 * Closes recordings that stopped instances left open in this directory, retries failed closings, and deletes the files of
 * recordings that were deleted while no instance could; one run at a time.
 */
export function createRecovery(deps: Deps) {
  const { repositories, casts, directory, closings, background, run_id } = deps;
  const { recordings } = repositories;
  let running: Promise<void> | undefined;

  async function digestOf(path: string): Promise<CastEnd | undefined> {
    try {
      return await casts.digest(path);
    } catch (error) {
      if (error instanceof Fault && error.code === 'recording_file_missing') return undefined;
      throw error;
    }
  }

  async function recoverOne(row: RecordingRow): Promise<void> {
    const { user_id, username } = row;
    const end = interrupted(row, await digestOf(row.file_path));
    await closings.close({ row, end, actor: { user_id, username, ip_address: '', via: null } });
  }

  /** A recording that cannot be closed does not block the others. */
  async function told(work: Promise<void>, what = 'closing a recording that was left open'): Promise<void> {
    background.run(what, work);
    await Promise.allSettled([work]);
  }

  async function removeOne({ id, file_path }: RecordingRow): Promise<void> {
    await casts.remove(file_path);
    await recordings.remove(id);
  }

  async function removeDue(directory_id: string): Promise<void> {
    for (const row of await recordings.toRemove(AT_ONCE, directory_id))
      await told(removeOne(row), 'deleting the file of a deleted recording');
  }

  async function recover(): Promise<void> {
    const directory_id = await directory.find({ create: false });
    for (const work of closings.retry()) await told(work);
    const orphans = await recordings.orphans(AT_ONCE, directory_id);
    for (const row of orphans) if (row.run_id !== run_id) await told(recoverOne(row));
    if (directory_id !== null && !casts.store) await removeDue(directory_id); // else with the store, when it can be used
  }

  return async (): Promise<void> => {
    running ??= recover().finally(() => {
      running = undefined;
    });
    return running;
  };
}

function interrupted({ started_at }: RecordingRow, found: CastEnd | undefined): RecordingEnd {
  const { size_bytes = 0, duration_s = 0, sha256 = null } = found ?? {};
  const ended_at = new Date(Date.parse(started_at) + duration_s * 1000).toISOString();
  return { ended_at, duration_s, size_bytes, sha256, status: 'interrupted' };
}
