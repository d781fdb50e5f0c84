import { randomToken } from '../lib/bytes/bytes.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';

export const LEASE_TTL_MS = 90_000; // three missed heartbeats
const HEARTBEAT_MS = 30_000;
const RETRY_MS = 5000; // after a database error
const AFTER_EXPIRY_MS = 50;

export type MonitorRole = 'leader' | 'follower';

/** Decides which instance checks the servers: the holder of the lease row. Renews the lease on its own timer. */
export interface MonitorLease {
  role(): MonitorRole;
  /** Resolves after the first attempt to take the lease. */
  start(): Promise<void>;
  /** The leader may have released the lease: tries to take it. */
  released(): void;
  /** Releases the lease; another instance takes it at a notice, or with its next heartbeat. */
  stop(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'monitor_lease'>;
  readonly instance_id: string;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  /** The role may have changed. */
  readonly changed: () => void;
}

export function createMonitorLease(deps: Deps): MonitorLease {
  const { repositories, instance_id, clock, background, log, changed } = deps;
  const { monitor_lease } = repositories;
  // Not the instance id: two processes may share one, and a restarted process is a new holder.
  const run_id = randomToken(16);
  let held_until_ms = Number.NEGATIVE_INFINITY; // by `elapsed_ms`
  let known_role: MonitorRole = 'follower';
  let cancel = () => {};
  let cancelLapse = () => {};
  let beating = Promise.resolve();
  let is_stopped = false;
  let is_failing = false;

  const role = (): MonitorRole => (clock.elapsed_ms() < held_until_ms ? 'leader' : 'follower');

  function settle(): void {
    const now = role();
    if (now === known_role) return;
    known_role = now;
    log.info(
      { monitor_role: now },
      now === 'leader'
        ? 'This instance now checks the servers'
        : 'This instance no longer checks the servers',
    );
    changed();
  }

  function hold(from_ms: number): void {
    held_until_ms = from_ms + LEASE_TTL_MS;
    cancelLapse();
    cancelLapse = clock.after(LEASE_TTL_MS, settle);
  }

  /** Returns the delay until the next beat. */
  async function beat(): Promise<number> {
    const asked_ms = clock.elapsed_ms();
    try {
      const { is_ours, expires_in_ms } = await monitor_lease.hold({
        run_id,
        instance_id,
        ttl_ms: LEASE_TTL_MS,
      });
      is_failing = false;
      if (is_ours) hold(asked_ms);
      else held_until_ms = Number.NEGATIVE_INFINITY;
      return is_ours ? HEARTBEAT_MS : Math.min(HEARTBEAT_MS, expires_in_ms + AFTER_EXPIRY_MS);
    } catch (err) {
      if (!is_failing) log.warn({ err }, 'The monitor lease could not be renewed');
      is_failing = true;
      return RETRY_MS;
    }
  }

  async function round(): Promise<void> {
    if (is_stopped) return;
    const next_ms = await beat();
    if (is_stopped) return;
    cancel(); // of a round that a notice has overtaken
    cancel = clock.after(next_ms, () => background.run('renew the monitor lease', start()));
    settle();
  }

  /** One round at a time. */
  function start(): Promise<void> {
    beating = beating.then(round);
    return beating;
  }

  return {
    role,
    start,
    released() {
      if (role() === 'follower') background.run('take over the monitor', start());
    },
    async stop() {
      is_stopped = true;
      cancel();
      await beating; // a beat in progress may be taking the lease
      cancelLapse();
      const is_held = role() === 'leader';
      held_until_ms = Number.NEGATIVE_INFINITY;
      settle();
      if (is_held) await monitor_lease.release(run_id);
    },
  };
}
