import { Fault } from '../../errors.ts';
import { randomToken } from '../../lib/bytes/bytes.ts';
import { every } from '../../lib/time/timers.ts';
import type { UploadRow } from '../../model/files/upload.ts';
import { partPathFor } from '../../policy/part-path.ts';
import type { FileSession } from '../../ports/files.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Background, Clock } from '../../ports/runtime.ts';
import { FINISHED_KEPT_MS } from './finished.ts';

const BEAT_MS = 60_000;
const UNATTENDED_MS = 5 * BEAT_MS; // after this silence the upload is abandoned
const REMOVAL_MS = 10_000; // the caller waits for it

type NewPart = Pick<UploadRow, 'user_id' | 'server_id' | 'target_path'> &
  Partial<Pick<UploadRow, 'part_path' | 'shown_path' | 'length' | 'overwrite' | 'metadata'>>;

/** A part file being written. */
export interface Attended {
  /** Aborts when the part was not renewed in time and may be cleaned up. */
  readonly lost: AbortSignal;
  leave(): void;
}

/** Tracks every part file on a host from before its creation to its removal, so that none is left behind. */
export interface PartKeeper {
  /** Called before the file is created. A resumable part has a length and is kept for longer. */
  begin(part: NewPart, longest_ms?: number): Promise<UploadRow>;
  /** Extends its expiry; throws `upload_not_found` when it is being cleaned up. */
  prolong(row: UploadRow, longest_ms: number): Promise<void>;
  /** Extends the expiry every minute until it is left. */
  attend(row: UploadRow, longest_ms?: number): Attended;
  /** Forgets a part that was renamed or removed. Never rejects: a remaining part expires. */
  forget(row: UploadRow): Promise<void>;
  /** Forgets a part that was renamed, and keeps its upload for answers. Never rejects. */
  finish(row: UploadRow): Promise<void>;
  /** Also removes it from the host, or leaves that to a later cleanup. Never rejects. */
  discard(session: Pick<FileSession, 'removePart'>, row: UploadRow): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'uploads'>;
  readonly clock: Clock;
  readonly background: Background;
  /** Called when this server has a part to clean up. */
  readonly left: (server_id: number) => void;
}

export function createPartKeeper({ repositories, clock, background, left }: Deps): PartKeeper {
  const { uploads } = repositories;
  const after = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();

  async function prolong({ id }: UploadRow, longest_ms: number): Promise<void> {
    if (!(await uploads.extend(id, after(longest_ms)))) throw new Fault('upload_not_found');
  }

  async function discard(session: Pick<FileSession, 'removePart'>, row: UploadRow): Promise<void> {
    const { id, server_id, part_path, target_path } = row;
    if (part_path === target_path) return uploads.remove(id); // a file under its own name may be somebody else's by now
    if (await isDone(session.removePart(part_path), clock)) return uploads.remove(id);
    await uploads.extend(id, after(0));
    left(server_id);
  }

  /** Logs the failure: the caller gets the earlier error. */
  async function told(what: string, work: Promise<void>): Promise<void> {
    background.run(what, work);
    await work.catch(() => undefined);
  }

  return {
    async begin({ target_path, ...part }, longest_ms = UNATTENDED_MS) {
      const row: UploadRow = {
        id: randomToken(16),
        part_path: partPathFor(target_path),
        target_path,
        shown_path: target_path,
        length: null,
        overwrite: true,
        metadata: '',
        ...part,
        created_at: after(0),
        expires_at: after(longest_ms),
      };
      await uploads.insert(row);
      return row;
    },

    prolong,
    attend(row, longest_ms = UNATTENDED_MS) {
      const lost = new AbortController();
      const beat = () => prolong(row, longest_ms).catch((fault: unknown) => loseIf(lost, fault));
      const leave = every(clock.after, BEAT_MS, () => background.run('keep a part', beat()));
      return { lost: lost.signal, leave };
    },

    finish: (row) => told('keep a finished upload', uploads.finish(row.id, after(FINISHED_KEPT_MS))),
    forget: (row) => told('forget a part', uploads.remove(row.id)),
    discard: (session, row) => told('discard a part', discard(session, row)),
  };
}

/** A short database outage changes nothing. */
function loseIf(lost: AbortController, fault: unknown): void {
  if (!(fault instanceof Fault) || fault.code !== 'upload_not_found') throw fault;
  lost.abort(fault);
}

/** Whether it succeeded in time; a lost host is not an error here. */
function isDone(removed: Promise<void>, { after }: Pick<Clock, 'after'>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = after(REMOVAL_MS, () => resolve(false));
    const settle = (done: boolean) => () => {
      cancel();
      resolve(done);
    };
    removed.then(settle(true), settle(false));
  });
}
