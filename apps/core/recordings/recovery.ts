import { Fault } from '../errors.ts';
import type { RecordingRow } from '../model/recording.ts';
import type { CastEnd, Casts } from '../ports/casts.ts';
import type { RecordingEnd } from '../ports/repositories/recordings.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background } from '../ports/runtime.ts';
import type { Closings } from './closings.ts';

const AT_ONCE = 100;

interface Deps {
  readonly repositories: Pick<Repositories, 'recordings'>;
  readonly casts: Casts;
  readonly closings: Closings;
  readonly background: Background;
  readonly run_id: string;
}

/** Closes recordings that stopped instances left open, and retries failed closings; one run at a time. */
export function createRecovery({ repositories, casts, closings, background, run_id }: Deps) {
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
    await closings.close({ row, end, actor: { user_id, username, ip_address: '' } });
  }

  /** A recording that cannot be closed does not block the others. */
  async function told(work: Promise<void>): Promise<void> {
    background.run('closing a recording that was left open', work);
    await Promise.allSettled([work]);
  }

  async function recover(): Promise<void> {
    for (const work of closings.retry()) await told(work);
    const orphans = await repositories.recordings.orphans(AT_ONCE);
    for (const row of orphans) if (row.run_id !== run_id) await told(recoverOne(row));
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
