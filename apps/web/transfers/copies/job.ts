import { parentOf } from '../../lib/paths.ts';
import type { Batch } from '../conflicts.ts';
import { createRunner, type Job, type Tell } from '../job.ts';
import type { TransferFailure } from '../row.ts';
import { type CopyRequest, type CopyTools, copyOverConflicts } from './one-source.ts';

/** Copies between hosts, one source after the other. A retry skips finished sources. */
export function createCopyJob(
  tools: CopyTools,
  { request, batch }: { readonly request: CopyRequest; readonly batch: Batch },
  tell: Tell,
): Job {
  const { source_server_id, source_paths, target_server_id, target_path, sizes } = request;
  const left = new Set(source_paths);
  const skipped = new Set<string>();
  const left_behind: TransferFailure[] = [];
  let done_bytes = 0;
  let present_bytes = 0;

  /** Undefined while the size of a source is unknown. */
  function totalWith(path: string, present: number | undefined): number | undefined {
    let total: number | undefined = done_bytes;
    for (const one of left) {
      const more: number | undefined = (one === path ? present : undefined) ?? sizes?.get(one);
      total = total === undefined || more === undefined ? undefined : total + more;
    }
    return total;
  }

  async function one(path: string, signal: AbortSignal): Promise<void> {
    let told: number | undefined;
    const onBytes = (bytes: number, total_bytes?: number) => {
      present_bytes = bytes;
      const total = total_bytes === undefined ? undefined : totalWith(path, total_bytes);
      if (total === undefined || total === told) return;
      told = total;
      tell({ total_bytes: total });
    };
    const end = await copyOverConflicts(tools, { request, path, batch }, { signal, onBytes, tell });
    done_bytes += present_bytes;
    present_bytes = 0;
    left.delete(path);
    left_behind.push(...end.left_behind);
    if (end.outcome === 'skipped') skipped.add(path);
    tools.onPlaced(target_server_id, target_path);
    if (request.move) tools.onPlaced(source_server_id, parentOf(path));
  }

  async function work(signal: AbortSignal): Promise<void> {
    const failures: TransferFailure[] = [];
    for (const path of [...left]) {
      tell({ state: 'queued', error: undefined });
      try {
        await one(path, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push({ path, error });
      }
      const done_files = source_paths.length - left.size - skipped.size;
      tell({
        done_files,
        skipped_files: skipped.size,
        failures: [...failures, ...left_behind],
        failed_files: failures.length,
        left_behind: left_behind.length,
      });
    }
    tell({ state: left.size > 0 ? 'failed' : 'done', sent_bytes: done_bytes });
  }

  const runner = createRunner(work, tell);
  return {
    ...runner,
    sent: () => done_bytes + present_bytes,
    discard: async () => runner.stop(),
  };
}
