import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import { untilAborted } from '../../lib/time/deadline.ts';
import { isPartPath } from '../../policy/part-path.ts';
import type { FileSession } from '../../ports/files.ts';

const MOST_ENTRIES = 1_000_000; // beyond, listing the tree twice costs the host too much

/** How much a copy will transfer. */
export interface CopyTotal {
  readonly total_bytes: number;
  readonly total_files: number;
}

export interface Totalling {
  /** Undefined until the tree has been walked, and for a tree that is too large or cannot be read. */
  known(): CopyTotal | undefined;
  /** Resolves once the walk has ended, also early by the signal. */
  readonly ended: Promise<void>;
}

/** Walks the source beside the copy: the copy itself never waits for it. */
export function startTotal(
  session: FileSession,
  source_path: string,
  signal: AbortSignal,
  most_entries = MOST_ENTRIES,
): Totalling {
  let total: CopyTotal | undefined;
  async function count(): Promise<void> {
    const giveWay = createGiveWay();
    let [bytes, files, entries] = [0, 0, 0];
    for await (const { path, relative, stat } of session.walk(source_path, { signal })) {
      signal.throwIfAborted();
      entries += 1;
      if (entries > most_entries) return;
      await giveWay();
      if (stat?.kind !== 'file' || (relative !== '' && isPartPath(path))) continue;
      bytes += stat.size;
      files += 1;
    }
    total = { total_bytes: bytes, total_files: files };
  }
  // The copy reports what fails, and does not wait for a host that gives the walk no channel.
  return { known: () => total, ended: untilAborted(signal, count()).catch(() => undefined) };
}
