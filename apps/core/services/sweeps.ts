import { Fault, toFault } from '../errors.ts';
import { createPace, type Place } from '../lib/pace.ts';
import { createLine, type InTurn } from '../lib/turns.ts';
import type { ServerRow } from '../model/server.ts';
import type { ServerStatusRow } from '../model/server-status.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { Probe, Prober, Way } from '../ports/ssh.ts';
import type { Connections } from './connections.ts';
import { sendsCredential, toStatusRow } from './status-rules.ts';
import { createStatusWriter, type StatusWriter } from './status-writer.ts';

// Waiting for a host that does not answer costs a socket; the key exchange is what `concurrency` bounds.
const MOST_UNDER_WAY = 100;
const PLACE_MS = 500; // who takes longer is a host that keeps us waiting

export interface SweepOptions {
  readonly timeout_ms: number;
  /** Key exchanges and sign-ins at once. */
  readonly concurrency: number;
}

/** One look at many servers, each reached once, through its jump hosts, whose connections are shared. */
export interface Sweeps {
  /** Looks at those that are asked for, out of all there are; what it finds is in the database when it resolves. */
  run(all: readonly ServerRow[], wanted: ReadonlySet<number> | 'all', signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'server_statuses'>;
  readonly connections: Connections;
  readonly prober: Prober;
  readonly clock: Clock;
  readonly log: Log;
}

export function createSweeps(deps: Deps, { timeout_ms, concurrency }: SweepOptions): Sweeps {
  const { repositories, connections, prober, clock, log } = deps;
  const { server_statuses } = repositories;

  async function probe(server: ServerRow, over: Way | undefined, sweep: Sweep): Promise<Probe> {
    const given_up = new AbortController();
    sweep.under_way.add(given_up);
    try {
      sweep.signal.throwIfAborted(); // it waited in line until now
      const hop = await connections.hopOf(server);
      const as_far_as = sendsCredential(server, sweep.before.get(server.id), clock.now())
        ? 'auth'
        : 'host_key';
      const keep = sweep.bastions.has(server.id);
      const { signal } = given_up;
      return await prober.probe(hop, { over, as_far_as, keep, signal, timeout_ms, place: sweep.place });
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'internal' && !sweep.signal.aborted)
        log.error({ err: error, server_id: server.id }, 'A check failed');
      return failed(fault);
    } finally {
      sweep.under_way.delete(given_up);
    }
  }

  /** Each server once; those behind a bastion wait for it. */
  function lookAt(server: ServerRow, sweep: Sweep): Promise<Probe> {
    const known = sweep.probes.get(server.id);
    if (known !== undefined) return known;
    const probing = throughBastion(server, sweep);
    sweep.probes.set(server.id, probing);
    return probing;
  }

  async function throughBastion(server: ServerRow, sweep: Sweep): Promise<Probe> {
    const bastion = server.jump_via_id === null ? undefined : sweep.servers.get(server.jump_via_id);
    const before = bastion && !isCircular(server, sweep.servers) ? await lookAt(bastion, sweep) : undefined;
    const found =
      bastion && !before?.way
        ? failed(noWay(bastion, before?.fault))
        : await sweep.inTurn(() => probe(server, before?.way, sweep));
    if (sweep.signal.aborted) return found;
    sweep.write(toStatusRow(server, found, { before: sweep.before.get(server.id), at: clock.now() }));
    return found;
  }

  return {
    async run(all, wanted, signal) {
      const before = new Map((await server_statuses.list('all')).map((row) => [row.server_id, row]));
      const writer = createStatusWriter({ save: server_statuses.save, clock, log });
      const sweep: Sweep = {
        servers: new Map(all.map((server) => [server.id, server])),
        bastions: new Set(all.flatMap(({ jump_via_id }) => jump_via_id ?? [])),
        before,
        probes: new Map(),
        signal,
        under_way: new Set(),
        place: createPace(clock.after, { at_once: concurrency, lease_ms: PLACE_MS }),
        inTurn: createLine(MOST_UNDER_WAY),
        write: writer.write,
      };
      const giveUp = () => {
        for (const given_up of sweep.under_way) given_up.abort(signal.reason);
      };
      signal.addEventListener('abort', giveUp);
      try {
        const due = all.filter(({ id }) => wanted === 'all' || wanted.has(id));
        await Promise.all(shuffled(due).map((server) => lookAt(server, sweep)));
      } finally {
        signal.removeEventListener('abort', giveUp);
        for (const probing of sweep.probes.values()) (await probing).way?.close();
        await writer.finish();
      }
    },
  };
}

interface Sweep {
  readonly servers: ReadonlyMap<number, ServerRow>;
  /** Servers that others jump through. */
  readonly bastions: ReadonlySet<number>;
  readonly before: ReadonlyMap<number, ServerStatusRow>;
  readonly probes: Map<number, Promise<Probe>>;
  readonly signal: AbortSignal;
  /** One for each check: Node takes many listeners on one signal for a leak, and says so. */
  readonly under_way: Set<AbortController>;
  readonly place: Place;
  readonly inTurn: InTurn;
  readonly write: StatusWriter['write'];
}

function failed(fault: Fault): Probe {
  return { fault, latency_ms: null, host_key_verified: null, way: undefined };
}

function noWay({ name }: ServerRow, fault: Fault | undefined): Fault {
  const why = fault?.detail ?? 'nobody is signed in to it, since it asks for a password or has refused it';
  return new Fault('host_unreachable', `Not reached through ${name}: ${why}`, { hop: name });
}

/** No save lets one through; rows that were changed by hand must not make anybody wait for themselves. */
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
