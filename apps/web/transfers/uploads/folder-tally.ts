import type { Tell } from '../job.ts';
import type { TransferFailure } from '../row.ts';
import type { Sent } from './sending.ts';

const SHOWN_FAILURES = 100;
const HOPELESS_IN_A_ROW = 20; // after this many failures without a success, the rest would fail too

/** What came of a file. */
interface Tracked extends Pick<Sent, 'outcome' | 'settled'> {
  readonly size: number;
}

export interface FolderTally {
  /** Starts a run. Its signal also aborts when too many files fail. */
  begin(outer: AbortSignal): AbortSignal;
  /** Tracks one file. A failure is recorded and does not stop the others. */
  track(
    path: string,
    signal: AbortSignal,
    work: (onSent: (bytes: number) => void) => Promise<Tracked>,
  ): Promise<void>;
  /** Tracks one directory. A failure is recorded. */
  attempt(path: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  /** The file was already there. */
  found(path: string, size: number): void;
  isDone(path: string): boolean;
  end(): void;
  sent(): number;
}

/** Counts the finished, active and failed files of a folder. */
export function createFolderTally(tell: Tell): FolderTally {
  const done = new Set<string>();
  const under_way = new Map<string, number>();
  let done_bytes = 0;
  let done_files = 0;
  let skipped_files = 0;
  let replaced_files = 0;
  let doubled_files = 0;
  let failed_files = 0;
  let failed_in_a_row = 0;
  let failures: TransferFailure[] = [];
  let hopeless = new AbortController();

  function finish(path: string, { outcome, settled, size }: Tracked): void {
    done.add(path);
    done_bytes += size;
    failed_in_a_row = 0;
    if (outcome === 'sent') done_files += 1;
    else skipped_files += 1;
    if (settled === 'replaced') replaced_files += 1;
    if (settled === 'kept_both') doubled_files += 1;
    tell({ done_files, skipped_files, replaced_files, doubled_files });
  }

  function fail(path: string, error: unknown): void {
    failed_files += 1;
    failed_in_a_row += 1;
    if (failures.length < SHOWN_FAILURES) failures = [...failures, { path, error }];
    tell({ failed_files, failures });
    if (failed_in_a_row >= HOPELESS_IN_A_ROW) hopeless.abort(error);
  }

  async function attempt(path: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) fail(path, error);
    }
  }

  return {
    attempt,
    begin(outer) {
      hopeless = new AbortController();
      failures = [];
      failed_files = 0;
      failed_in_a_row = 0;
      tell({ failed_files, failures });
      return AbortSignal.any([outer, hopeless.signal]);
    },
    track: (path, signal, work) =>
      attempt(path, signal, async () => {
        try {
          finish(path, await work((bytes) => under_way.set(path, bytes)));
        } finally {
          under_way.delete(path);
        }
      }),
    found: (path, size) => finish(path, { outcome: 'sent', size }),
    isDone: (path) => done.has(path),
    end: () => tell({ state: failed_files > 0 ? 'failed' : 'done', error: undefined }),
    sent: () => done_bytes + [...under_way.values()].reduce((sum, bytes) => sum + bytes, 0),
  };
}
