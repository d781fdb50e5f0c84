import { Fault, toFault } from '#core/errors.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Probe, ProbeOptions, Prober, SshHop, Way } from '#core/ports/ssh.ts';
import type { DialWatch } from '../ssh/attempt.ts';
import type { Connection } from '../ssh/connection.ts';
import type { Dialler } from '../ssh/dial/connect.ts';

/** Probes one hop at a time, so that many servers behind one bastion share a connection to it. */
export function createHopProbe(dialler: Dialler, clock: Clock): Prober['probe'] {
  const connections = new WeakMap<Way, Connection>();

  function connectionOf(way: Way | undefined): Connection | undefined {
    const connection = way && connections.get(way);
    if (way && !connection)
      throw new Fault('internal', 'The jump host connection was not opened by this prober');
    return connection;
  }
  function toWay(connection: Connection): Way {
    const way: Way = { close: () => connection.close() };
    connections.set(way, connection);
    return way;
  }
  async function dial(hop: SshHop, options: ProbeOptions, watch: DialWatch): Promise<Way | undefined> {
    const { as_far_as: until, keep, signal, timeout_ms, place } = options;
    const over = connectionOf(options.over);
    const connection = await dialler.connect(
      { hops: [hop] },
      { signal, watch, until, over, timeout_ms, acquireSlot: place },
    );
    if (keep && until === 'auth') return toWay(connection);
    connection.close();
    await connection.closed();
    return undefined;
  }

  return async (hop, options) => {
    const observed = observe(clock);
    try {
      return observed.outcome({ fault: undefined, way: await dial(hop, options, observed.watch) });
    } catch (error) {
      options.signal.throwIfAborted();
      const fault = toFault(error);
      if (fault.code === 'shutting_down') throw fault; // says nothing about the host
      return observed.outcome({ fault, way: undefined });
    }
  };
}

interface Observed {
  readonly watch: DialWatch;
  outcome(end: Pick<Probe, 'fault' | 'way'>): Probe;
}

function observe({ elapsed_ms: now }: Pick<Clock, 'elapsed_ms'>): Observed {
  let began_ms: number | undefined;
  let latency_ms: number | null = null;
  let host_key_verified: boolean | null = null;
  let credential_sent = false;
  return {
    watch: {
      begin(stage) {
        began_ms = stage === 'tcp' ? now() : undefined;
      },
      pass() {
        if (began_ms !== undefined) latency_ms = Math.round((now() - began_ms) * 10) / 10; // keeps a decimal, since nearby hosts answer within 1 ms
      },
      offer() {
        credential_sent = true;
      },
      banner() {},
      secured() {},
      judge(verdict) {
        host_key_verified = verdict !== 'unverified';
      },
    },
    outcome: (end) => ({ ...end, latency_ms, host_key_verified, credential_sent }),
  };
}
