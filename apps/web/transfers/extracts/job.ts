import type { GatewayClient } from '#client/client.ts';
import { ClientError, networkError } from '#client/client-error.ts';
import { type ExtractEvent, watchExtract } from '#client/transfers/archive.ts';
import type { Batch, ConflictAnswer, Conflicts } from '../conflicts.ts';
import { createRunner, type Job, type Tell } from '../job.ts';
import type { TransferFailure } from '../row.ts';
import type { Slots } from '../slots.ts';

export interface ExtractRequest {
  readonly server_id: number;
  /** The archive. */
  readonly path: string;
  readonly target_path: string;
  /** Only these, and what is in them; all by default. */
  readonly members?: readonly string[] | undefined;
}

export interface ExtractTools {
  readonly client: GatewayClient;
  readonly slots: Slots;
  readonly conflicts: Conflicts;
  readonly onPlaced: (server_id: number, directory: string) => void;
}

type Of<Type extends ExtractEvent['type']> = Extract<ExtractEvent, { type: Type }>;

const ON_CONFLICT = { replace: 'overwrite', keep_both: 'rename', skip: 'skip' } as const;
const SHOWN_FAILURES = 100;

/** Extracts an archive on its host. One answer counts for all files that exist. */
export function createExtractJob(
  tools: ExtractTools,
  { request, batch }: { readonly request: ExtractRequest; readonly batch: Batch },
  tell: Tell,
): Job {
  const { client, slots, conflicts, onPlaced } = tools;
  const { server_id, path, target_path, members } = request;
  let sent_bytes = 0;

  async function run(answer: ConflictAnswer | undefined, signal: AbortSignal): Promise<void> {
    tell({ state: 'running', error: undefined, failures: [], left_behind: 0, failed_files: 0 });
    const chosen = members && { members: [...members] };
    const body = { path, target_path, ...chosen, ...(answer && { on_conflict: ON_CONFLICT[answer] }) };
    try {
      await follow(watchExtract(client, { server_id, body }, signal));
    } finally {
      onPlaced(server_id, target_path);
    }
  }

  async function follow(events: AsyncIterable<ExtractEvent>): Promise<void> {
    const left_out: TransferFailure[] = [];
    for await (const event of events) {
      if (event.type === 'done' || event.type === 'error') return finish(event, left_out);
      if (event.type === 'progress') progress(event);
      else if (left_out.length < SHOWN_FAILURES) left_out.push(failureOf(event));
    }
    throw networkError(undefined); // interrupted
  }

  function progress({ bytes, files, total_files, total_bytes }: Of<'progress'>): void {
    sent_bytes = bytes;
    tell({ done_files: files, total_files, total_bytes });
  }

  function finish(end: Of<'done'> | Of<'error'>, left_out: readonly TransferFailure[]): void {
    sent_bytes = end.bytes;
    const news = { sent_bytes, done_files: end.created, left_behind: end.skipped_count };
    if (end.type === 'done') {
      tell({ ...news, state: 'done', failures: left_out });
      return;
    }
    const error = new ClientError({ status: 0, code: end.code, detail: end.detail });
    const failures = [...end.missing.map((name) => ({ path: name, error })), ...left_out];
    tell({ ...news, state: 'failed', error, failures, failed_files: end.missing_count });
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
        const conflict = { server_id, path: taken, file: undefined, is_for_all: true };
        answer = await conflicts.ask(conflict, batch, signal);
      }
    }
  }

  const runner = createRunner(work, tell);
  return { ...runner, sent: () => sent_bytes, discard: async () => runner.stop() };
}

function failureOf({ name, code, detail }: Of<'skipped'>): TransferFailure {
  return { path: name, error: new ClientError({ status: 0, code, detail }) };
}
