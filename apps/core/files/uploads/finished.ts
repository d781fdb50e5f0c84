import type { UploadRow } from '../../model/files/upload.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime.ts';

export const FINISHED_KEPT_MS = 10 * 60_000;
const MOST = 10_000;

/**
 * Recently completed uploads: a client that lost the last response asks again and must not get 404. The database keeps them
 * for all instances; this process remembers its own, in case the database was away at their end.
 */
export interface FinishedUploads {
  add(row: UploadRow): void;
  /** One that this process has completed. */
  here(upload_id: string): UploadRow | undefined;
  find(upload_id: string): Promise<UploadRow | undefined>;
  forget(upload_id: string): void;
}

export function createFinishedUploads(
  { uploads }: Pick<Repositories, 'uploads'>,
  { now }: Pick<Clock, 'now'>,
): FinishedUploads {
  const finished = new Map<string, { readonly row: UploadRow; readonly until_ms: number }>(); // oldest first
  function forgetOld(): void {
    for (const [id, { until_ms }] of finished) {
      if (now().getTime() < until_ms && finished.size <= MOST) return;
      finished.delete(id);
    }
  }
  function here(upload_id: string): UploadRow | undefined {
    forgetOld();
    return finished.get(upload_id)?.row;
  }
  return {
    add(row) {
      finished.set(row.id, { row, until_ms: now().getTime() + FINISHED_KEPT_MS });
      forgetOld();
    },
    here,
    find: async (upload_id) => here(upload_id) ?? uploads.finished(upload_id, now().toISOString()),
    forget(upload_id) {
      finished.delete(upload_id);
    },
  };
}
