import { type AuditTrail, serverLabel, THE_GATEWAY } from '../../audit/trail.ts';
import { type Fault, toFault } from '../../errors.ts';
import { createLimiter } from '../../lib/concurrency/limiter.ts';
import type { PartRemovalRow } from '../../model/hosts/part-removal.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import { isHostGone } from '../../policy/host-gone.ts';
import { isPartPath } from '../../policy/part-path.ts';
import type { FileSession, Files } from '../../ports/files.ts';
import type { KeptConnection } from '../../ports/repositories/hosts.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Background, Clock, Log } from '../../ports/runtime.ts';
import type { KeptConnections } from './kept-connections.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WAIT_MS = 5000; // the caller waits for it
const CLAIM_MS = 10 * MINUTE_MS; // longer than one attempt
const CLAIM_PARTS = 100; // one attempt of this many parts fits into a claim
const LONGEST_PAUSE_MS = 6 * HOUR_MS;
const AFTER_REFUSAL_MS = HOUR_MS; // repeated attempts with a refused password could lock the account
const GIVE_UP_MS = 7 * 24 * HOUR_MS;
const HOSTS_AT_ONCE = 4;
const MOST_AT_ONCE = 20; // servers

/** Removes the part files of unfinished uploads from the hosts of deleted servers. */
export interface PartRemovals {
  /** Call it before the deletion. */
  prepare(server: ServerRow): Promise<Prepared>;
  /** Tries everything that is due. */
  sweep(): Promise<void>;
}

interface Prepared {
  /** To be stored with the deletion. */
  readonly kept: KeptConnection | undefined;
  /** Ends the audit entry of the deletion. */
  readonly ending: string;
  /** Call it after the deletion. Resolves when the parts are gone, or after five seconds. Never rejects. */
  begin(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'part_removals' | 'uploads' | 'server_statuses'>;
  readonly kept_connections: KeptConnections;
  readonly files: Files;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

export function createPartRemovals(deps: Deps): PartRemovals {
  const { repositories, kept_connections, clock, background } = deps;
  const { part_removals, uploads, server_statuses } = repositories;
  const attempt = createAttempt(deps);
  const limited = createLimiter(HOSTS_AT_ONCE);
  const after = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();

  async function isRefused({ id }: ServerRow): Promise<boolean> {
    const status = await server_statuses.byServer(id);
    const since_ms = clock.now().getTime() - Date.parse(status?.refused_at ?? '');
    return Math.abs(since_ms) < AFTER_REFUSAL_MS;
  }

  async function attemptFirst(server_id: number): Promise<void> {
    const row = await part_removals.byServer(server_id);
    if (row) await attempt(row);
  }

  async function waitFor(work: Promise<void>): Promise<void> {
    background.run('remove part files of a deleted server', work);
    await new Promise<void>((resolve) => {
      const cancel = clock.after(WAIT_MS, resolve);
      const settle = () => {
        cancel();
        resolve();
      };
      work.then(settle, settle);
    });
  }

  return {
    async prepare(server) {
      const count = await uploads.countAt(server.id);
      const connection = await kept_connections.seal(server);
      if ('obstacle' in connection) {
        const ending = count === 0 ? '' : `; part files left on the host: ${count} (${connection.obstacle})`;
        return { kept: undefined, ending, begin: async () => undefined };
      }
      const is_refused = await isRefused(server);
      const next_at = after(is_refused ? AFTER_REFUSAL_MS : CLAIM_MS);
      return {
        kept: { connection_sealed: connection.sealed, created_at: after(0), next_at },
        ending: count === 0 ? '' : `; part files to remove: ${count}`,
        begin: async () => (is_refused ? undefined : waitFor(attemptFirst(server.id))),
      };
    },

    async sweep() {
      for (;;) {
        const due = { now: after(0), again_at: after(CLAIM_MS), limit: MOST_AT_ONCE };
        const rows = await part_removals.takeDue(due);
        await Promise.all(rows.map((row) => limited(() => attempt(row))));
        if (rows.length < MOST_AT_ONCE) return;
      }
    },
  };
}

function createAttempt({ repositories, kept_connections, files, trail, clock, log }: Deps) {
  const { part_removals } = repositories;
  const now_ms = () => clock.now().getTime();

  async function postpone({ server_id, created_at }: PartRemovalRow, failures: number, pause_ms: number) {
    const latest_ms = Date.parse(created_at) + GIVE_UP_MS;
    const next_at = new Date(Math.min(now_ms() + pause_ms, latest_ms)).toISOString();
    return part_removals.postpone(server_id, { failures, next_at });
  }

  /** Adds each path that is gone to `removed`; throws the first failure after trying the others. */
  async function removeAll(row: PartRemovalRow, session: FileSession, removed: string[]): Promise<void> {
    let failure: Fault | undefined;
    for (const [index, { id, part_path }] of (await part_removals.parts(row.server_id)).entries()) {
      if (index % CLAIM_PARTS === CLAIM_PARTS - 1) await postpone(row, row.failures, CLAIM_MS);
      try {
        // Whatever the database says, only files with a part name are removed.
        if (isPartPath(part_path)) {
          await session.removePart(part_path);
          removed.push(part_path);
        }
      } catch (error) {
        failure ??= toFault(error);
        if (isHostGone(toFault(error))) break;
        continue;
      }
      await part_removals.removePart(id);
    }
    if (failure) throw failure;
  }

  async function reachAndRemove(row: PartRemovalRow, removed: string[]): Promise<void> {
    const session = await files.open(await kept_connections.open(row));
    try {
      await removeAll(row, session, removed);
    } finally {
      session.release();
      files.drop(row.server_id); // nobody else uses this connection
    }
    await part_removals.end(row.server_id);
  }

  async function giveUp(row: PartRemovalRow): Promise<void> {
    const left = await part_removals.parts(row.server_id);
    if (!(await part_removals.end(row.server_id))) return;
    const label = `${labelOf(row)}: gave up after 7 days, left on the host: `;
    const items = left.map(({ part_path }) => part_path);
    await trail.recordAll(THE_GATEWAY, 'server_parts_remove', { label, items });
  }

  async function record(row: PartRemovalRow, items: readonly string[]): Promise<void> {
    if (items.length === 0) return;
    const label = `${labelOf(row)}: removed `;
    await trail.recordAll(THE_GATEWAY, 'server_parts_remove', { label, items });
  }

  return async (row: PartRemovalRow): Promise<void> => {
    if (now_ms() - Date.parse(row.created_at) >= GIVE_UP_MS) return giveUp(row);
    const removed: string[] = [];
    try {
      await reachAndRemove(row, removed);
    } catch (error) {
      const { code } = toFault(error);
      const { server_id, failures } = row;
      log.info({ server_id, code }, 'Part files of a deleted server cannot be removed yet');
      await postpone(row, failures + 1, pauseAfter(failures, code));
    } finally {
      await record(row, removed);
    }
  };
}

function pauseAfter(failures: number, code: Fault['code']): number {
  const pause_ms = Math.min(MINUTE_MS * 2 ** Math.min(failures, 20), LONGEST_PAUSE_MS);
  return code === 'host_auth_failed' ? Math.max(pause_ms, AFTER_REFUSAL_MS) : pause_ms;
}

function labelOf({ server_id, server_name }: PartRemovalRow): string {
  return serverLabel({ id: server_id, name: server_name });
}
