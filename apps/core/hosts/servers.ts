import type { ActivityRegistry } from '../activities/registry.ts';
import type { ActivityRights } from '../activities/rights.ts';
import { orRecorded } from '../audit/outcome.ts';
import { type AuditTrail, serverLabel } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import { createIdPool } from '../lib/id-pool.ts';
import { MAX_HOPS } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { AuditAction } from '../model/audit/audit.ts';
import {
  type Server,
  type ServerInput,
  type ServerPatch,
  type ServerRow,
  toServer,
} from '../model/hosts/server.ts';
import { uncheckedRow } from '../model/hosts/server-status.ts';
import { assertMay } from '../policy/account.ts';
import type { Files } from '../ports/files.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { addedEvent, deletedEvent } from '../webhooks/events.ts';
import { isReachedDifferently, type ServerChanges } from './changes.ts';
import type { Connections } from './connections.ts';
import { readHostKeyText } from './known-hosts/host-key-blob.ts';
import { fingerprintOf } from './known-hosts/parse.ts';
import type { RevokedKeys } from './known-hosts/revoked.ts';
import type { PartRemovals } from './part-removals/part-removals.ts';
import type { Repointing } from './repointing.ts';

const ATTEMPTS = 5;

/** Creates, updates and deletes servers. */
export interface Servers {
  /** Reading an encrypted key takes seconds; it ends when the signal aborts. */
  create(caller: Caller, input: ServerInput, signal?: AbortSignal): Promise<Server>;
  update(caller: Caller, id: number, patch: ServerPatch, signal?: AbortSignal): Promise<Server>;
  remove(caller: Caller, id: number): Promise<void>;
  /** The pinned fingerprint, or an empty string. */
  clearHostKey(caller: Caller, id: number): Promise<{ cleared: string }>;
  /** Pins this key, as in a `known_hosts` file, instead of the pinned and announced ones. */
  acceptHostKey(caller: Caller, id: number, host_key: string): Promise<{ pinned: string; cleared: string }>;
}

export interface ServersDeps {
  readonly repositories: Pick<Repositories, 'servers' | 'server_statuses'>;
  readonly revoked: Pick<RevokedKeys, 'isRevoked'>;
  readonly connections: Connections;
  readonly changes: ServerChanges;
  readonly repointing: Repointing;
  readonly part_removals: PartRemovals;
  readonly files: Pick<Files, 'drop'>;
  readonly activities: ActivityRegistry;
  readonly rights: ActivityRights;
  readonly trail: AuditTrail;
  readonly bell: Pick<Bell, 'ring'>;
  readonly background: Background;
  readonly clock: Clock;
}

export function createServers(deps: ServersDeps): Servers {
  const { repositories, revoked, connections, changes, repointing, part_removals } = deps;
  const { files, activities, rights, trail, bell, background, clock } = deps;
  const { servers, server_statuses } = repositories;
  const now = () => clock.now().toISOString();
  const nextId = createIdPool(servers.reserveIds);

  async function existing(id: number): Promise<ServerRow> {
    const row = await servers.byId(id);
    if (!row) throw new Fault('server_not_found');
    return row;
  }

  /** A refused credential stays refused until it changes. */
  async function forgetStatus(id: number): Promise<void> {
    const fresh = uncheckedRow(id);
    const { refused_at, refused_as, refused_error, told_offline } =
      (await server_statuses.byServer(id)) ?? fresh;
    await server_statuses.save([{ ...fresh, refused_at, refused_as, refused_error, told_offline }]);
  }

  const recorded = <T>(caller: Caller, action: AuditAction, label: string, write: Promise<T>) =>
    orRecorded(write, background, (ending) => trail.record(caller, action, label + ending));

  async function follow(before: ServerRow, row: ServerRow): Promise<void> {
    if (isReachedDifferently(before, row)) await forgetStatus(row.id);
    await rights.recheckServer(row);
  }

  async function change(caller: Caller, id: number, patch: ServerPatch, signal: AbortSignal | undefined) {
    const before = await existing(id);
    const checked = await repointing.assertMayUpdate(caller, before, patch);
    const patched = await changes.patch(before, patch, { user_id: caller.user_id, signal });
    if (patched.jump_via_id !== undefined) await connections.assertJump(id, patched.jump_via_id);
    const conditions = { most_hops: MAX_HOPS, checked };
    const updated = servers.update(id, { ...patched, updated_at: now() }, conditions);
    const row = await recorded(caller, 'server_update', serverLabel(before), updated);
    if (!row) throw new Fault('server_not_found');
    return { before, row };
  }

  return {
    async create(caller, input, signal) {
      assertMay(caller, 'administer');
      const asker = { user_id: caller.user_id, signal };
      const row = await changes.newRow(input, { id: await nextId(), at: now() }, asker);
      await connections.assertJump(undefined, row.jump_via_id);
      const inserted = servers.insert(row, addedEvent(caller, row));
      const server = await recorded(caller, 'server_create', row.name, inserted);
      bell.ring();
      await trail.record(caller, 'server_create', serverLabel(server));
      return toServer(server);
    },

    async update(caller, id, patch, signal) {
      assertMay(caller, 'administer');
      const { before, row } = await despiteChanges(() => change(caller, id, patch, signal));
      files.drop(id);
      const detail = changeOf(before, row, patch);
      await Promise.all([trail.record(caller, 'server_update', detail), follow(before, row)]);
      return toServer(row);
    },

    async remove(caller, id) {
      assertMay(caller, 'administer');
      const server = await existing(id);
      const dependents = await servers.jumpingVia(id);
      if (dependents.length > 0) {
        const names = dependents.map((server) => server.name).join(', ');
        throw new Fault('jump_host_in_use', `Used as a jump host by: ${names}`);
      }
      const parts = await part_removals.prepare(server);
      const label = serverLabel(server) + parts.ending;
      const removed = servers.remove(id, deletedEvent(caller, server, now()), parts.kept);
      if (!(await recorded(caller, 'server_delete', label, removed))) {
        throw new Fault('server_not_found');
      }
      files.drop(id);
      bell.ring();
      activities.endWhere((activity) => activity.server.id === id, 'The server was deleted');
      await trail.record(caller, 'server_delete', label);
      await parts.begin();
    },

    async clearHostKey(caller, id) {
      assertMay(caller, 'administer');
      const server = await existing(id);
      const checked = await repointing.assertMayRepin(caller, server);
      if (!(await servers.clearHostKey(id, now(), checked))) throw new Fault('server_changed');
      files.drop(id);
      const cleared = server.host_key_fingerprint;
      const detail = `${serverLabel(server)}: ${cleared || 'none was pinned'}`;
      await Promise.all([trail.record(caller, 'host_key_clear', detail), forgetStatus(id)]);
      return { cleared };
    },

    async acceptHostKey(caller, id, text) {
      assertMay(caller, 'administer');
      const host_key = readHostKeyText(text);
      const server = await existing(id);
      const checked = await repointing.assertMayRepin(caller, server);
      const { hostname, port, host_key: instead_of, host_key_fingerprint: cleared } = server;
      const fingerprint = await fingerprintOf(host_key);
      if (await revoked.isRevoked(server, { host_key, fingerprint })) throw new Fault('host_key_revoked');
      const pin = { server_id: id, hostname, port, instead_of, host_key, fingerprint, at: now(), checked };
      if (!(await servers.replaceHostKeys({ ...pin, announced_host_keys: [] })))
        throw new Fault('server_changed');
      files.drop(id);
      const detail = `${serverLabel(server)}: ${fingerprint}, instead of ${cleared || 'none'}`;
      await Promise.all([trail.record(caller, 'host_key_accept', detail), forgetStatus(id)]);
      return { pinned: fingerprint, cleared };
    },
  };
}

/** Checks and tries again when somebody else has changed the server in between. */
async function despiteChanges<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; left > 0; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'server_changed')) throw error;
    }
  }
  return await attempt();
}

/** Names of changed fields, never values; mentions a dropped pin. */
function changeOf(before: ServerRow, after: ServerRow, patch: ServerPatch): string {
  const dropped =
    before.host_key !== null && after.host_key === null ? '; the pinned host key was dropped' : '';
  return `${serverLabel(after)}: ${changedFields(before, after, patch).join(', ') || 'nothing'}${dropped}`;
}

/** Forms send every field, so only real changes count; a credential always counts. */
function changedFields(before: ServerRow, after: ServerRow, patch: ServerPatch): string[] {
  const old: Readonly<Record<string, unknown>> = { ...before };
  const stored: Readonly<Record<string, unknown>> = { ...after };
  return Object.keys(patch).filter(
    (field) => !(field in stored) || JSON.stringify(stored[field]) !== JSON.stringify(old[field]),
  );
}
