import { type GatewayClient, take } from '#client/client.ts';
import { type Copied, type CopyPlan, watchCopy } from '#client/transfers/copy.ts';
import { ClientError, networkError } from '#client/transport/client-error.ts';
import { joinPath, movedTo, nameOf } from '../../lib/paths.ts';
import type { Batch, Conflicts } from '../conflicts.ts';
import type { Tell } from '../job.ts';
import { numberedName } from '../names.ts';
import type { TransferFailure } from '../row.ts';
import type { Slots } from '../slots.ts';

export interface CopyRequest {
  readonly source_server_id: number;
  readonly source_paths: readonly string[];
  /** Sizes by source path, as far as they are known before. */
  readonly sizes?: ReadonlyMap<string, number>;
  readonly target_server_id: number;
  /** An existing directory. */
  readonly target_path: string;
  /** Whether to delete the sources after they are copied completely. */
  readonly move: boolean;
}

export interface CopyTools {
  readonly client: GatewayClient;
  readonly slots: Slots;
  readonly conflicts: Conflicts;
  readonly onPlaced: (server_id: number, directory: string) => void;
}

interface One {
  readonly request: CopyRequest;
  readonly path: string;
  readonly batch: Batch;
}

interface Watch {
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number, total_bytes?: number) => void;
  readonly tell: Tell;
}

interface End {
  readonly outcome: 'done' | 'skipped';
  /** Items that were not copied, and therefore not deleted. */
  readonly left_behind: TransferFailure[];
}

/** Handles one source until it is copied, moved or skipped. */
export async function copyOverConflicts(tools: CopyTools, one: One, watch: Watch): Promise<End> {
  const { request, path, batch } = one;
  let aim: Aim = { name: undefined, overwrite: batch.answer === 'replace' };
  for (;;) {
    try {
      const left_behind = await tools.slots.use(watch.signal, () => {
        watch.tell({ state: 'running', error: undefined });
        return transfer(tools.client, { request, path, aim }, watch);
      });
      return { outcome: 'done', left_behind };
    } catch (error) {
      const is_taken = error instanceof ClientError && error.code === 'already_exists';
      if (!is_taken || aim.overwrite) throw error;
    }
    const next = await aimAnew(tools, one, watch);
    if (!next) return { outcome: 'skipped', left_behind: [] };
    aim = next;
  }
}

/** The name is taken: keep both, replace or skip. */
async function aimAnew(
  { client, conflicts }: CopyTools,
  { request, path, batch }: One,
  { signal, tell }: Watch,
): Promise<Aim | undefined> {
  if (!batch.answer) tell({ state: 'asking' });
  const taken = movedTo(request.target_path, path);
  const conflict = { server_id: request.target_server_id, path: taken, file: undefined };
  const answer = await conflicts.ask(conflict, batch, signal);
  if (answer === 'skip') return undefined;
  if (answer === 'replace') return { name: undefined, overwrite: true };
  return { name: await freeName(client, request, path), overwrite: false };
}

interface Aim {
  /** Undefined to keep its own name. */
  readonly name: string | undefined;
  readonly overwrite: boolean;
}

function transfer(client: GatewayClient, aimed: Aimed, watch: Watch): Promise<TransferFailure[]> {
  const { source_server_id, target_server_id, move } = aimed.request;
  const is_within = source_server_id === target_server_id;
  return move && is_within ? rename(client, aimed) : copy(client, aimed, watch);
}

type Aimed = Pick<One, 'request' | 'path'> & { readonly aim: Aim };

async function rename(client: GatewayClient, { request, path, aim }: Aimed): Promise<TransferFailure[]> {
  const params = { path: { server_id: request.source_server_id } };
  const { target_path } = request;
  const new_path = aim.name === undefined ? movedTo(target_path, path) : joinPath(target_path, aim.name);
  const body = { old_path: path, new_path, overwrite: aim.overwrite };
  await client.http.POST('/api/files/{server_id}/rename', { params, body });
  return [];
}

async function copy(
  client: GatewayClient,
  { request, path, aim }: Aimed,
  { signal, onBytes }: Watch,
): Promise<TransferFailure[]> {
  const { source_server_id: server_id, target_server_id, target_path } = request;
  const body = {
    source_path: path,
    target_server_id,
    target_path: aim.name === undefined ? target_path : joinPath(target_path, aim.name),
    overwrite: aim.overwrite,
  };
  const result = await resultOf(client, { server_id, body }, { signal, onBytes });
  onBytes(result.bytes);
  if (request.move && result.skipped_count === 0) {
    const params = { path: { server_id }, query: { path } };
    await client.http.DELETE('/api/files/{server_id}/delete', { params });
  }
  return result.skipped.map((skipped) => ({ path: skipped.path, error: new Error(skipped.reason) }));
}

/** Events that end without a result mean that the copy was interrupted. */
async function resultOf(
  client: GatewayClient,
  plan: CopyPlan,
  { signal, onBytes }: Pick<Watch, 'signal' | 'onBytes'>,
): Promise<Copied> {
  for await (const event of watchCopy(client, plan, signal)) {
    if (event.type === 'result') return event.result;
    if (event.type === 'failed') throw new ClientError({ status: 0, code: event.code, detail: event.detail });
    onBytes(event.bytes, event.total_bytes);
  }
  throw networkError(undefined);
}

const MOST_NAMES = 1000;

/** A copy onto an existing directory goes into it, so find a free name first. */
async function freeName(client: GatewayClient, { target_server_id, target_path }: CopyRequest, path: string) {
  const params = { path: { server_id: target_server_id }, query: { path: target_path } };
  const { entries } = await take(client.http.GET('/api/files/{server_id}/ls', { params }));
  const taken = new Set(entries.map(({ name }) => name));
  let number = 2;
  while (taken.has(numberedName(nameOf(path), number)) && number < MOST_NAMES) number += 1;
  return numberedName(nameOf(path), number);
}
