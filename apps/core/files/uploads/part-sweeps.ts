import { type Fault, toFault } from '../../errors.ts';
import type { Connections } from '../../hosts/connections.ts';
import { createLimiter } from '../../lib/concurrency/limiter.ts';
import type { UploadRow } from '../../model/files/upload.ts';
import type { ServerRow } from '../../model/hosts/server.ts';
import { isHostGone } from '../../policy/host-gone.ts';
import { isPartPath } from '../../policy/part-path.ts';
import type { FileSession, Files } from '../../ports/files.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Background, Clock, Log } from '../../ports/runtime.ts';
import type { SshTarget } from '../../ports/ssh.ts';

const MOST_AT_ONCE = 100; // parts
const HOSTS_AT_ONCE = 4;
const AGAIN_MS = 2 * 60_000; // longer than one attempt
const LOOK_MS = 60_000;
const AFTER_REFUSAL_MS = 60 * 60_000; // repeated attempts with a refused password could lock the account
const GIVE_UP_MS = 30 * 24 * 60 * 60_000;

/** Removes abandoned part files from hosts. */
export interface PartSweeps {
  /** Removes all expired parts on hosts that can be reached with stored credentials. */
  sweep(): Promise<void>;
  /** A caller has just connected to this server: for a server without stored credentials, the only chance. */
  opened(server: ServerRow, target: SshTarget): void;
  /** This server has a part to clean up: now, and if that fails, at the next connection. */
  left(server_id: number): void;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'uploads' | 'servers'>;
  readonly connections: Connections;
  readonly files: Files;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

export function createPartSweeps({ connections, ...deps }: Deps): PartSweeps {
  const { repositories, clock, background, log } = deps;
  const { uploads, servers } = repositories;
  const removeParts = createRemoval(deps);
  const limited = createLimiter(HOSTS_AT_ONCE);
  const looked_ms = new Map<number, number>();
  const refused_ms = new Map<number, number>();
  const removing = new Map<number, { is_asked_again: boolean }>();

  function since(times: ReadonlyMap<number, number>, server_id: number): number {
    return clock.elapsed_ms() - (times.get(server_id) ?? Number.NEGATIVE_INFINITY);
  }

  function take(server_id?: number): Promise<UploadRow[]> {
    const now = clock.now();
    const again_at = new Date(now.getTime() + AGAIN_MS).toISOString();
    return uploads.takeExpired({ now: now.toISOString(), again_at, limit: MOST_AT_ONCE, server_id });
  }

  /** Undefined where the gateway cannot connect by itself. */
  async function targetOf(server: ServerRow | undefined): Promise<SshTarget | undefined> {
    if (!server || since(refused_ms, server.id) < AFTER_REFUSAL_MS) return undefined;
    const target = await connections.targetOf(server);
    return target.hops.some(({ auth }) => auth.method === 'prompt') ? undefined : target;
  }

  async function reach(server_id: number, rows: readonly UploadRow[]): Promise<void> {
    const server = await servers.byId(server_id);
    const target = server?.sftp_enabled ? await targetOf(server) : undefined;
    if (target && rows.length > 0) await removeParts(target, async () => rows);
  }

  /** A right that was withdrawn binds its user, not the removal of what the gateway has left. */
  async function reachAtOnce(server_id: number): Promise<void> {
    const target = await targetOf(await servers.byId(server_id));
    if (target) await removeParts(target, () => take(server_id));
  }

  /** A failure is retried later. */
  async function quietly(server_id: number, removed: Promise<unknown>): Promise<void> {
    try {
      await removed;
    } catch (error) {
      const { code } = toFault(error);
      if (code === 'host_auth_failed') refused_ms.set(server_id, clock.elapsed_ms());
      log.info({ server_id, code }, 'Abandoned part files cannot be removed yet');
    }
  }

  async function removeNow(server_id: number): Promise<void> {
    const running = removing.get(server_id);
    if (running) {
      running.is_asked_again = true;
      return;
    }
    const state = { is_asked_again: true };
    removing.set(server_id, state);
    while (state.is_asked_again) {
      state.is_asked_again = false;
      await quietly(server_id, reachAtOnce(server_id));
    }
    removing.delete(server_id);
  }

  return {
    async sweep() {
      for (;;) {
        const rows = await take();
        const reached = [...byServer(rows)].map(([id, parts]) =>
          limited(() => quietly(id, reach(id, parts))),
        );
        await Promise.all(reached);
        if (rows.length < MOST_AT_ONCE) return;
      }
    },

    opened({ id }, target) {
      if (since(looked_ms, id) < LOOK_MS) return;
      looked_ms.set(id, clock.elapsed_ms());
      const removed = take(id).then((rows) =>
        rows.length === 0 ? undefined : removeParts(target, async () => rows),
      );
      background.run('remove part files', quietly(id, removed));
    },

    left(server_id) {
      looked_ms.delete(server_id);
      background.run(
        'remove part files of a stopped transfer',
        limited(() => removeNow(server_id)),
      );
    },
  };
}

function byServer(rows: readonly UploadRow[]): Map<number, UploadRow[]> {
  const parts = new Map<number, UploadRow[]>();
  for (const row of rows) parts.set(row.server_id, [...(parts.get(row.server_id) ?? []), row]);
  return parts;
}

type RemovalDeps = Pick<Deps, 'repositories' | 'files' | 'clock' | 'log'>;

function createRemoval({ repositories: { uploads }, files, clock, log }: RemovalDeps) {
  async function remove(session: FileSession, { id, part_path }: UploadRow): Promise<void> {
    // Whatever the database says, only files with a part name are removed.
    if (isPartPath(part_path)) await session.removePart(part_path);
    await uploads.remove(id);
  }

  async function leave({ id, server_id, part_path, created_at }: UploadRow, fault: Fault): Promise<void> {
    if (isHostGone(fault)) throw fault;
    log.info({ server_id, part_path, code: fault.code }, 'An abandoned part file cannot be removed');
    if (clock.now().getTime() - Date.parse(created_at) < GIVE_UP_MS) return;
    log.warn({ server_id, part_path }, 'An abandoned part file could not be removed and is left on the host');
    await uploads.remove(id);
  }

  /** Takes them once the host is reached: what has been taken is not tried again for a while. */
  return async (target: SshTarget, take: () => Promise<readonly UploadRow[]>): Promise<void> => {
    const session = await files.open(target);
    try {
      for (const row of await take()) await remove(session, row).catch((error) => leave(row, toFault(error)));
    } finally {
      session.release();
    }
  };
}
