import { Fault } from '../errors.ts';
import { forkSignal } from '../lib/signal-fork.ts';
import { createTurns } from '../lib/turns.ts';
import type { Caller } from '../model/caller.ts';
import type { ConnectionTest, TestEvent } from '../model/connection-test.ts';
import {
  type Server,
  type ServerInput,
  type ServerPatch,
  type ServerRow,
  toServer,
} from '../model/server.ts';
import { NOT_REFUSED, uncheckedRow } from '../model/server-status.ts';
import { assertAdmin, credentialOf } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Files, Prober, TestOptions } from '../ports/ssh.ts';
import type { SessionRegistry } from '../terminal/session-registry.ts';
import { type AuditTrail, serverLabel } from './audit-trail.ts';
import type { Callers } from './callers.ts';
import { type Connections, MAX_HOPS } from './connections.ts';
import { discretionFor } from './hop-discretion.ts';
import type { Reach } from './reach.ts';
import { isReachedDifferently, type ServerChanges } from './server-changes.ts';
import type { TerminalRights } from './terminal-rights.ts';

const TESTS_AT_ONCE = 4; // of one user: each is a connection to a host
const TESTS_WAITING = 50;

/** For nobody: who asked has gone. */
const GIVEN_UP: ConnectionTest = { success: false, message: 'Given up', stages: [] };

/** What changes the registry of servers, and what tries one out. */
export interface Servers {
  create(caller: Caller, input: ServerInput): Promise<Server>;
  update(caller: Caller, id: number, patch: ServerPatch): Promise<Server>;
  remove(caller: Caller, id: number): Promise<void>;
  assertMayTest(caller: Caller, id: number): Promise<void>;
  /** A few at once for each user. */
  test(caller: Caller, id: number, options?: TestOptions): Promise<ConnectionTest>;
  /** The gateway is shutting down. */
  endTests(): void;
  /** The fingerprint that was pinned, or an empty string. */
  clearHostKey(caller: Caller, id: number): Promise<{ cleared: string }>;
}

export interface ServersDeps {
  readonly repositories: Pick<Repositories, 'servers' | 'server_statuses'>;
  readonly reach: Reach;
  readonly connections: Connections;
  readonly callers: Callers;
  readonly changes: ServerChanges;
  readonly prober: Prober;
  readonly files: Pick<Files, 'drop'>;
  readonly terminals: SessionRegistry;
  readonly rights: TerminalRights;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

export function createServers(deps: ServersDeps): Servers {
  const {
    repositories,
    reach,
    connections,
    callers,
    changes,
    prober,
    files,
    terminals,
    rights,
    trail,
    clock,
  } = deps;
  const { servers, server_statuses } = repositories;
  const now = () => clock.now().toISOString();
  const testing = createTurns(TESTS_AT_ONCE, {
    longest: TESTS_WAITING,
    tooMany: () => new Fault('rate_limited'),
  });
  const running = new AbortController();
  const tests = forkSignal(running.signal);

  async function existing(id: number): Promise<ServerRow> {
    const row = await servers.byId(id);
    if (!row) throw new Fault('server_not_found');
    return row;
  }

  /** That a credential was refused stays true of that credential. */
  async function forgetStatus(id: number): Promise<void> {
    const { refused_at, refused_as, refused_error } = (await server_statuses.byServer(id)) ?? NOT_REFUSED;
    await server_statuses.save([{ ...uncheckedRow(id), refused_at, refused_as, refused_error }]);
  }

  async function tryOut(caller: Caller, id: number, options: TestOptions = {}): Promise<ConnectionTest> {
    const server = await reach.registered(caller, id);
    const discretion = await discretionFor(caller, server, connections).catch(notEvenDialled);
    if ('success' in discretion) return discretion;
    const watch = (event: TestEvent) => options.watch?.(discretion.event(event));
    try {
      const target = await connections.targetOf(server);
      return await tests.during(async (ended) => {
        const signal = options.signal ? AbortSignal.any([options.signal, ended]) : ended;
        return discretion.test(await prober.test(target, { signal, watch }));
      });
    } catch (error) {
      if (options.signal?.aborted) return GIVEN_UP;
      return notEvenDialled(discretion.fault(error));
    }
  }

  return {
    async create(caller, input) {
      assertAdmin(caller);
      const row = await changes.newRow(input, now());
      await connections.assertJump(undefined, row.jump_via_id);
      const server = await servers.insert(row);
      await trail.record(caller, 'server_create', serverLabel(server));
      return toServer(server);
    },

    async update(caller, id, patch) {
      assertAdmin(caller);
      const before = await existing(id);
      const patched = await changes.patch(before, patch);
      if (patched.jump_via_id !== undefined) await connections.assertJump(id, patched.jump_via_id);
      const row = await servers.update(id, { ...patched, updated_at: now() }, MAX_HOPS);
      if (!row) throw new Fault('server_not_found');
      files.drop(id);
      if (isReachedDifferently(before, row)) await forgetStatus(id);
      await rights.recheckServer(row);
      await trail.record(caller, 'server_update', changeOf(before, row, patch));
      return toServer(row);
    },

    async remove(caller, id) {
      assertAdmin(caller);
      const server = await existing(id);
      const dependents = await servers.jumpingVia(id);
      if (dependents.length > 0) {
        const names = dependents.map((server) => server.name).join(', ');
        throw new Fault('jump_host_in_use', `Used as a jump host by: ${names}`);
      }
      if (!(await servers.remove(id))) throw new Fault('server_not_found');
      files.drop(id);
      terminals.endWhere((terminal) => terminal.server.id === id, 'The server was deleted');
      await trail.record(caller, 'server_delete', serverLabel(server));
    },

    async assertMayTest(caller, id) {
      await reach.registered(caller, id);
    },

    test: (caller, id, options) =>
      testing(String(caller.user_id), async () => {
        if (options?.signal?.aborted) return GIVEN_UP;
        const now = await callers.fromCredential(credentialOf(caller), caller.ip_address);
        return tryOut(now, id, options);
      }),
    endTests: () => running.abort(new Fault('shutting_down')),

    async clearHostKey(caller, id) {
      assertAdmin(caller);
      const server = await existing(id);
      await servers.clearHostKey(id, now());
      files.drop(id);
      await forgetStatus(id);
      const cleared = server.host_key_fingerprint;
      await trail.record(caller, 'host_key_clear', `${serverLabel(server)}: ${cleared || 'none was pinned'}`);
      return { cleared };
    },
  };
}

/** Names of fields, never values; a pin that goes with the old address is said. */
function changeOf(before: ServerRow, after: ServerRow, patch: ServerPatch): string {
  const dropped =
    before.host_key !== null && after.host_key === null ? '; the pinned host key was dropped' : '';
  return `${serverLabel(after)}: ${changedFields(before, after, patch).join(', ') || 'nothing'}${dropped}`;
}

/** A form sends every field; a credential that is sent counts as changed. */
function changedFields(before: ServerRow, after: ServerRow, patch: ServerPatch): string[] {
  const old: Readonly<Record<string, unknown>> = { ...before };
  const stored: Readonly<Record<string, unknown>> = { ...after };
  return Object.keys(patch).filter(
    (field) => !(field in stored) || JSON.stringify(stored[field]) !== JSON.stringify(old[field]),
  );
}

/** A test always answers: a chain too deep or a credential that does not open is its result. */
function notEvenDialled(error: unknown): ConnectionTest {
  if (error instanceof Fault && error.code !== 'internal') {
    return { success: false, message: error.detail, stages: [] };
  }
  throw error;
}
