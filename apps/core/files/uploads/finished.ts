import type { UploadRow } from '../../model/upload.ts';
import type { Clock } from '../../ports/runtime.ts';

const KEPT_MS = 10 * 60_000;
const MOST = 10_000;

/** Recently completed uploads: a client that lost the last response asks again and must not get 404. */
export interface FinishedUploads {
  add(row: UploadRow): void;
  find(upload_id: string): UploadRow | undefined;
  forget(upload_id: string): void;
}

export function createFinishedUploads({ now }: Pick<Clock, 'now'>): FinishedUploads {
  const finished = new Map<string, { readonly row: UploadRow; readonly until_ms: number }>(); // oldest first
  function forgetOld(): void {
    for (const [id, { until_ms }] of finished) {
      if (now().getTime() < until_ms && finished.size <= MOST) return;
      finished.delete(id);
    }
  }
  return {
    add(row) {
      finished.set(row.id, { row, until_ms: now().getTime() + KEPT_MS });
      forgetOld();
    },
    find(upload_id) {
      forgetOld();
      return finished.get(upload_id)?.row;
    },
    forget(upload_id) {
      finished.delete(upload_id);
    },
  };
}
