import type { Batch } from '../conflicts.ts';
import { createRunner, type Job, type Tell } from '../job.ts';
import { discardParts } from './aim.ts';
import type { FileNode } from './drop-tree.ts';
import { type Sent, sendWhole } from './sending.ts';
import type { UploadTools } from './upload.ts';

export interface UploadPlace {
  readonly server_id: number;
  readonly directory: string;
}

export interface FileJobInput {
  readonly id: string;
  readonly source: FileNode;
  readonly place: UploadPlace;
  readonly batch: Batch;
  /** Identifies the file again after a reload. */
  readonly onOpened: (file: File) => void;
  readonly onPlaced: (directory: string) => void;
}

export function createFileJob(tools: UploadTools, input: FileJobInput, tell: Tell): Job {
  const { source, place, batch } = input;
  let sent_bytes = 0;
  let is_done = false;

  async function work(signal: AbortSignal): Promise<void> {
    if (is_done) return; // a stopped run may still have finished
    const file = await source.open();
    signal.throwIfAborted();
    input.onOpened(file);
    tell({ total_bytes: file.size });
    const sending = {
      ...place,
      job_id: input.id,
      file,
      name: source.name,
      batch,
      onState: (state: 'queued' | 'running' | 'retrying' | 'asking', error?: unknown) =>
        tell({ state, error }),
      onSent: (bytes: number) => {
        sent_bytes = bytes;
      },
    };
    const sent = await sendWhole(tools, sending, signal);
    const { outcome, name } = sent;
    is_done = true;
    if (outcome === 'sent') input.onPlaced(place.directory);
    tell({ state: 'done', name, error: undefined, ...counts(sent, file.size) });
  }

  const runner = createRunner(work, tell);
  return {
    ...runner,
    sent: () => sent_bytes,
    async discard() {
      runner.stop();
      await discardParts(tools, input.id);
    },
  };
}

function counts({ outcome, settled }: Sent, size: number) {
  if (outcome === 'skipped') return { skipped_files: 1 };
  const replaced_files = settled === 'replaced' ? 1 : 0;
  const doubled_files = settled === 'kept_both' ? 1 : 0;
  return { sent_bytes: size, done_files: 1, replaced_files, doubled_files };
}
