import type { GatewayClient } from '#client/client.ts';
import { type ExtractEvent, watchExtract } from '#client/transfers/archive.ts';
import { ClientError, networkError } from '#client/transport/client-error.ts';
import type { Batch, ConflictAnswer, Conflicts } from '../conflicts.ts';
import { createRunner, type Job, type Tell } from '../job.ts';
import type { Slots } from '../slots.ts';
import { type ExtractNews, endingOf } from './ending.ts';

export interface ExtractRequest {
  readonly server_id: number;
  /** The archive. */
  readonly path: string;
  readonly target_path: string;
  /** Only these, and what is in them; all by default. */
  readonly members?: readonly string[] | undefined;
  /** The encoding of names that the archive does not mark as UTF-8; guessed by default. */
  readonly encoding?: string | undefined;
}

export interface ExtractTools {
  readonly client: GatewayClient;
  readonly slots: Slots;
  readonly conflicts: Conflicts;
  readonly onPlaced: (server_id: number, directory: string) => void;
}

export interface ExtractWork {
  readonly request: ExtractRequest;
  readonly batch: Batch;
  /** Called if the user cancels when asked about files that exist. */
  readonly cancel: () => void;
}

const ON_CONFLICT = { replace: 'overwrite', keep_both: 'rename', skip: 'skip' } as const;

/** Extracts an archive on its host. One answer counts for all files that exist. */
export function createExtractJob(
  tools: ExtractTools,
  { request, batch, cancel }: ExtractWork,
  tell: Tell,
): Job {
  const { client, slots, conflicts, onPlaced } = tools;
  const { server_id, path, target_path, members, encoding } = request;
  let sent_bytes = 0;

  async function run(answer: ConflictAnswer | undefined, signal: AbortSignal): Promise<void> {
    tell({ state: 'running', error: undefined, failures: [], left_behind: 0, failed_files: 0 });
    const chosen = members && { members: [...members] };
    const named = encoding === undefined ? {} : { encoding };
    const body = {
      path,
      target_path,
      ...named,
      ...chosen,
      ...(answer && { on_conflict: ON_CONFLICT[answer] }),
    };
    try {
      await follow(watchExtract(client, { server_id, body }, signal));
    } finally {
      onPlaced(server_id, target_path);
    }
  }

  async function follow(events: AsyncIterable<ExtractEvent>): Promise<void> {
    const skipped: ExtractNews<'skipped'>[] = [];
    for await (const event of events) {
      if (event.type === 'done' || event.type === 'error') {
        sent_bytes = event.bytes;
        return tell(endingOf(event, skipped));
      }
      if (event.type === 'progress') progress(event);
      else skipped.push(event);
    }
    throw networkError(undefined); // interrupted
  }

  function progress({ bytes, files, total_files, total_bytes }: ExtractNews<'progress'>): void {
    sent_bytes = bytes;
    tell({ done_files: files, total_files, total_bytes });
  }

  async function work(signal: AbortSignal): Promise<void> {
    let answer = batch.answer;
    for (;;) {
      try {
        return await slots.use(signal, () => run(answer, signal));
      } catch (error) {
        const is_taken = error instanceof ClientError && error.code === 'already_exists';
        if (!is_taken || answer) throw error;
        tell({ state: 'asking' });
        const taken = error.errors[0]?.message ?? target_path;
        const conflict = { server_id, path: taken, file: undefined, cancel };
        answer = await conflicts.ask(conflict, batch, signal);
      }
    }
  }

  const runner = createRunner(work, tell);
  return { ...runner, sent: () => sent_bytes, discard: async () => runner.stop() };
}
