import type { Changes } from '../instances/changes.ts';
import { pause } from '../lib/time/deadline.ts';
import type { InForce } from '../model/settings/setting.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { createMonitorLease, type MonitorRole } from './lease.ts';
import type { Sweeps } from './sweeps.ts';

const NEWCOMERS_MS = 3000; // a new server shows its status soon
const JITTER = 0.1; // of the interval, so that gateways started together drift apart

export interface MonitorOptions {
  readonly disabled: boolean;
}

/** Checks all servers periodically on the leading instance. */
export interface Monitor {
  role(): MonitorRole;
  /** Resolves once the leader is known. */
  start(): Promise<void>;
  /** Aborts the current round and releases the lease. */
  stop(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'monitor_lease' | 'servers' | 'server_statuses'>;
  readonly sweeps: Sweeps;
  readonly settings: InForce<'monitor_interval'>;
  readonly changes: Pick<Changes, 'listen'>;
  readonly instance_id: string;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

export function createMonitor(deps: Deps, { disabled }: MonitorOptions): Monitor {
  const { repositories, sweeps, settings, changes, clock, background, log } = deps;
  const lease = createMonitorLease({ ...deps, changed: follow });
  let leading: AbortController | undefined;
  let stopListening = () => {};

  function follow(): void {
    leading?.abort();
    leading = undefined;
    if (lease.role() === 'follower') return;
    leading = new AbortController();
    background.run('check the servers', lead(leading.signal));
  }

  async function lead(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began_ms = clock.elapsed_ms();
      const jitter = 1 - JITTER + 2 * JITTER * Math.random();
      await round(signal, 'all');
      // Reads the interval each time, so that a shorter one takes effect at once.
      await lookForNewcomers(signal, () => began_ms + settings.values.monitor_interval * 1000 * jitter);
    }
  }

  async function lookForNewcomers(signal: AbortSignal, until_ms: () => number): Promise<void> {
    const left_ms = () => (signal.aborted ? 0 : until_ms() - clock.elapsed_ms());
    while (left_ms() > 0) {
      await pause(clock.after, Math.max(1, Math.min(NEWCOMERS_MS, left_ms())), signal);
      if (left_ms() > 0) await round(signal, 'new');
    }
  }

  /** An error in one round does not stop the next. */
  async function round(signal: AbortSignal, which: 'all' | 'new'): Promise<void> {
    if (signal.aborted) return;
    try {
      const unchecked = which === 'new' ? await repositories.server_statuses.unchecked() : undefined;
      if (unchecked?.length === 0) return;
      const servers = await repositories.servers.list();
      await sweeps.run(servers, unchecked ? new Set(unchecked) : 'all', signal);
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, 'The servers could not be checked');
    }
  }

  return {
    role: lease.role,
    async start() {
      if (disabled) return;
      stopListening = changes.listen('monitor', lease.released);
      await lease.start();
    },
    async stop() {
      stopListening();
      leading?.abort();
      leading = undefined;
      await lease.stop();
    },
  };
}
