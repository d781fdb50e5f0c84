import { Fault, type FaultCode, toFault } from '../errors.ts';
import type { Connections } from '../hosts/connections.ts';
import type { Bell } from '../lib/bell.ts';
import {
  type AcquireSlot,
  createKeyedLimiter,
  createLimiter,
  createSlots,
  type KeyedLimiter,
  type Limiter,
} from '../lib/limiter.ts';
import { forkSignal, type SignalFork } from '../lib/signal-fork.ts';
import type { ServerRow } from '../model/server.ts';
import type { ServerState, ServerStatusRow } from '../model/server-status.ts';
import type { InForce } from '../model/setting.ts';
import type { Meter } from '../ports/meter.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { Probe, Prober, Way } from '../ports/ssh.ts';
import { sendsCredential, toObstructedRow, toStatusRow } from './status-rules.ts';
import { createStatusWriter, type StatusWriter } from './status-writer.ts';

// Waiting for a host that does not answer costs a socket; the key exchange is what `concurrency` bounds.
const MOST_UNDER_WAY = 100;
const MOST_AT_ONE_HOST = 3; // sshd turns newcomers away at ten that have not signed in yet (MaxStartups)
const PLACE_MS = 500; // who takes longer is a host that keeps us waiting

/** One look at many servers, each reached once, through its jump hosts, whose connections are shared. */
export interface Sweeps {
  /** Looks at those that are asked for, out of all there are; what it finds is in the database when it resolves. */
  run(all: readonly ServerRow[], wanted: ReadonlySet<number> | 'all', signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'servers' | 'server_statuses'>;
  readonly connections: Connections;
  readonly prober: Prober;
  readonly meter: Pick<Meter, 'add'>;
  /** How long one server may take, and how many key exchanges and sign-ins there are at once. */
  readonly settings: InForce<'monitor_timeout' | 'monitor_concurrency'>;
  readonly bell: Pick<Bell, 'ring'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createSweeps(deps: Deps): Sweeps {
  const { repositories, settings, meter, clock } = deps;
  const { server_statuses } = repositories;
  const probe = createProbe(deps);

  /** Each server once; those behind a bastion wait for it. */
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

  /** No save lets a circle through; rows that were changed by hand must not make anybody wait for themselves. */
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
        place: createSlots({
          concurrency: settings.values.monitor_concurrency,
          lease: { after: clock.after, ms: PLACE_MS },
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

/** Of one server; never throws. */
function createProbe({ repositories, connections, prober, settings, clock, log }: Deps) {
  /** A round may last: what was edited since it began must not meet its old address with its old credential. */
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
      const { fork, place } = sweep;
      const timeout_ms = settings.values.monitor_timeout * 1000;
      return await fork.during((signal) =>
        prober.probe(hop, { over, as_far_as, keep, signal, timeout_ms, place }),
      );
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'internal' && !sweep.signal.aborted)
        log.error({ err: error, server_id: server.id }, 'A check failed');
      return failed(fault);
    }
  };
}

// What went wrong here says nothing of the host, nor of what is behind it.
const OURS: ReadonlySet<FaultCode> = new Set([
  'database_unavailable',
  'database_full',
  'internal',
  'server_changed',
  'shutting_down',
]);

interface Looked {
  /** To what is behind it. */
  readonly way: Way | undefined;
  readonly status: ServerState | 'unknown';
}

const UNKNOWN: Looked = { way: undefined, status: 'unknown' };

interface Sweep {
  readonly servers: ReadonlyMap<number, ServerRow>;
  /** Servers that others jump through. */
  readonly bastions: ReadonlySet<number>;
  readonly before: ReadonlyMap<number, ServerStatusRow>;
  readonly looks: Map<number, Promise<Looked>>;
  readonly signal: AbortSignal;
  readonly fork: SignalFork;
  readonly place: AcquireSlot;
  readonly limited: Limiter;
  /** By address: several records may be accounts of one host. */
  readonly limitedByHost: KeyedLimiter;
  /** By address. */
  readonly dead: Map<string, Fault>;
  readonly write: StatusWriter['write'];
}

function failed(fault: Fault): Probe {
  return { fault, latency_ms: null, host_key_verified: null, credential_sent: false, way: undefined };
}

/**
 * Accounts of one host take turns, so that it does not refuse people because of us; a host that nobody answers at is
 * waited for once.
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

/** Nothing of SSH was there, whoever one would be. */
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

/** In no order that a host could rely on. */
function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
