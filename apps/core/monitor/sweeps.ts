import { Fault, type FaultCode, toFault } from '../errors.ts';
import type { Connections } from '../hosts/connections.ts';
import type { Bell } from '../lib/concurrency/bell.ts';
import {
  type AcquireSlot,
  createKeyedLimiter,
  createLimiter,
  createSlots,
  type KeyedLimiter,
  type Limiter,
} from '../lib/concurrency/limiter.ts';
import { forkSignal, type SignalFork } from '../lib/concurrency/signal-fork.ts';
import type { ServerRow } from '../model/hosts/server.ts';
import type { ServerState, ServerStatusRow } from '../model/hosts/server-status.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { Probe, Prober, Way } from '../ports/ssh.ts';
import { sendsCredential, toObstructedRow, toStatusRow } from './status-rules.ts';
import { createStatusWriter, type StatusWriter } from './status-writer.ts';

// A host that does not answer costs only a socket; `concurrency` limits key exchanges.
const MOST_UNDER_WAY = 100;
const MOST_AT_ONE_HOST = 3; // sshd refuses connections above ten unauthenticated ones (MaxStartups)
const SLOT_MS = 500; // after this the host is only keeping us waiting

/** Checks many servers, each once, and shares the connections to jump hosts. */
export interface Sweeps {
  /** Checks the `wanted` servers out of `all`; resolves when the results are in the database. */
  run(all: readonly ServerRow[], wanted: ReadonlySet<number> | 'all', signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers' | 'server_statuses'>;
  readonly connections: Connections;
  readonly prober: Prober;
  readonly meter: Pick<Meter, 'add'>;
  /** Timeout per server, and how many key exchanges and sign-ins run at once. */
  readonly settings: InForce<'monitor_timeout' | 'monitor_concurrency'>;
  readonly bell: Pick<Bell, 'ring'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createSweeps(deps: Deps): Sweeps {
  const { repositories, settings, meter, clock } = deps;
  const { server_statuses } = repositories;
  const probe = createProbe(deps);

  /** Checks a server once; servers behind a bastion wait for the bastion's check. */
  function lookAt(server: ServerRow, sweep: Sweep): Promise<Looked> {
    const known = sweep.looks.get(server.id);
    if (known !== undefined) return known;
    const looking = look(server, sweep);
    sweep.looks.set(server.id, looking);
    return looking;
  }

  async function look(server: ServerRow, sweep: Sweep): Promise<Looked> {
    const bastion = server.jump_via_id === null ? undefined : sweep.servers.get(server.jump_via_id);
    const way = bastion && (await wayTo(server, bastion, sweep));
    const before = sweep.before.get(server.id);
    if (way?.status === 'unknown') return way;
    if (bastion && way && !way.way) {
      const obstacle = { name: bastion.name, status: way.status };
      return settled(server, sweep, toObstructedRow(server, obstacle, { before, at: clock.now() }));
    }
    const found = await withinLimits(server, sweep, () => probe(server, way?.way, sweep));
    if (found.fault && OURS.has(found.fault.code)) return UNKNOWN;
    meter.add('monitor_checks');
    if (found.fault) meter.add('monitor_failures');
    return settled(server, sweep, toStatusRow(server, found, { before, at: clock.now() }), found.way);
  }

  /** Saving refuses circular jump hosts, but a row edited by hand must not wait for itself. */
  async function wayTo(server: ServerRow, bastion: ServerRow, sweep: Sweep): Promise<Looked> {
    if (isCircular(server, sweep.servers)) return { way: undefined, status: 'offline' };
    return lookAt(bastion, sweep);
  }

  function settled(server: ServerRow, sweep: Sweep, row: ServerStatusRow, way?: Way): Looked {
    if (!sweep.signal.aborted) sweep.write(server, row);
    return { way, status: row.status };
  }

  return {
    async run(all, wanted, signal) {
      const before = new Map((await server_statuses.list('all')).map((row) => [row.server_id, row]));
      const writer = createStatusWriter(deps);
      const sweep: Sweep = {
        servers: new Map(all.map((server) => [server.id, server])),
        bastions: new Set(all.flatMap(({ jump_via_id }) => jump_via_id ?? [])),
        before,
        looks: new Map(),
        signal,
        fork: forkSignal(signal),
        slots: createSlots({
          concurrency: settings.values.monitor_concurrency,
          lease: { after: clock.after, ms: SLOT_MS },
        }),
        limited: createLimiter(MOST_UNDER_WAY),
        limitedByHost: createKeyedLimiter(MOST_AT_ONE_HOST),
        dead: new Map(),
        write: writer.write,
      };
      try {
        const due = all.filter(({ id }) => wanted === 'all' || wanted.has(id));
        await Promise.all(shuffled(due).map((server) => lookAt(server, sweep)));
      } finally {
        sweep.fork.close();
        for (const looking of sweep.looks.values()) (await looking).way?.close();
        await writer.finish();
      }
    },
  };
}

/** Probes one server; never throws. */
function createProbe({ repositories, connections, prober, settings, clock, log }: Deps) {
  /** A round may take minutes: a server edited since must not be probed with its old address and credential. */
  async function assertUnchanged({ id, updated_at }: ServerRow): Promise<void> {
    const now = await repositories.servers.byId(id);
    if (now?.updated_at !== updated_at) throw new Fault('server_changed');
  }

  return async function probe(server: ServerRow, over: Way | undefined, sweep: Sweep): Promise<Probe> {
    try {
      await assertUnchanged(server);
      const hop = await connections.hopOf(server);
      const as_far_as = sendsCredential(server, sweep.before.get(server.id), clock.now())
        ? 'auth'
        : 'host_key';
      const keep = sweep.bastions.has(server.id);
      const { fork, slots } = sweep;
      const timeout_ms = settings.values.monitor_timeout * 1000;
      return await fork.during((signal) =>
        prober.probe(hop, { over, as_far_as, keep, signal, timeout_ms, place: slots }),
      );
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'internal' && !sweep.signal.aborted)
        log.error({ err: error, server_id: server.id }, 'A server check failed');
      return failed(fault);
    }
  };
}

// Errors of the gateway, which say nothing about the host or the servers behind it.
const OURS: ReadonlySet<FaultCode> = new Set([
  'database_unavailable',
  'database_full',
  'internal',
  'server_changed',
  'shutting_down',
]);

interface Looked {
  /** The connection to the servers behind it. */
  readonly way: Way | undefined;
  readonly status: ServerState | 'unknown';
}

const UNKNOWN: Looked = { way: undefined, status: 'unknown' };

interface Sweep {
  readonly servers: ReadonlyMap<number, ServerRow>;
  /** Servers that are jump hosts of others. */
  readonly bastions: ReadonlySet<number>;
  readonly before: ReadonlyMap<number, ServerStatusRow>;
  readonly looks: Map<number, Promise<Looked>>;
  readonly signal: AbortSignal;
  readonly fork: SignalFork;
  readonly slots: AcquireSlot;
  readonly limited: Limiter;
  /** By address, because several records may be accounts on one host. */
  readonly limitedByHost: KeyedLimiter;
  /** By address. */
  readonly dead: Map<string, Fault>;
  readonly write: StatusWriter['write'];
}

function failed(fault: Fault): Probe {
  return { fault, latency_ms: null, host_key_verified: null, credential_sent: false, way: undefined };
}

/**
 * Limits connections per host, so that checks do not make it refuse people, and times out only once for a dead host.
 */
function withinLimits(
  { jump_via_id, hostname, port }: ServerRow,
  sweep: Sweep,
  probe: () => Promise<Probe>,
): Promise<Probe> {
  const address = JSON.stringify([jump_via_id, hostname.toLowerCase(), port]);
  return sweep.limitedByHost(address, async () => {
    const dead = sweep.dead.get(address);
    if (dead) return failed(dead);
    const found = await sweep.limited(probe);
    if (isDead(found)) sweep.dead.set(address, found.fault);
    return found;
  });
}

/** No SSH server answered, so other accounts on the host need no check. */
function isDead(found: Probe): found is Probe & { readonly fault: Fault } {
  const { stage } = found.fault?.options ?? {};
  return (
    stage === 'resolve' ||
    stage === 'tcp' ||
    (stage === 'handshake' && found.fault?.code === 'connect_timeout')
  );
}

function isCircular(server: ServerRow, servers: ReadonlyMap<number, ServerRow>): boolean {
  const seen = new Set<number>();
  for (
    let at: ServerRow | undefined = server;
    at;
    at = at.jump_via_id === null ? undefined : servers.get(at.jump_via_id)
  ) {
    if (seen.has(at.id)) return true;
    seen.add(at.id);
  }
  return false;
}

/** Random order, so that no host is always checked first. */
function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
