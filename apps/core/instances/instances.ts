import { every } from '../lib/time/timers.ts';
import type { InstanceRow } from '../model/terminal.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type DatabaseClock, MOST_SKEW_MS } from './database-clock.ts';
import type { createJudgement } from './judgement.ts';
import type { InstanceProofs } from './proofs.ts';

export interface InstanceTimes {
  readonly ttl_ms: number;
  readonly heartbeat_ms: number;
  /** How long an instance may be silent that can neither be reached nor ruled out. */
  readonly gone_ms: number;
}

export const INSTANCE_TIMES: InstanceTimes = {
  ttl_ms: 30_000, // three missed heartbeats
  heartbeat_ms: 10_000,
  gone_ms: 5 * 60_000,
};

/** Announces this instance and its address to the others, and cleans up after instances that have ended. */
export interface Instances {
  /** Resolves once the other instances can find this one at `url`. */
  start(url: string): Promise<void>;
  stop(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'instances'>;
  readonly clock: DatabaseClock;
  readonly background: Background;
  readonly log: Log;
  readonly run_id: string;
  readonly instance_id: string;
  readonly machine: string;
  readonly version: string;
  readonly times: InstanceTimes;
  readonly proofs: Pick<InstanceProofs, 'sign'>;
  /** Does not wait for the disk. */
  readonly recordingsDirectoryId: () => string | null;
  /** Before the rows of the earlier process count as orphans. */
  readonly takeOver: () => Promise<void>;
  readonly hasHandedOver: () => boolean;
  readonly findEnded: ReturnType<typeof createJudgement>;
  /**
   * More cleanup; never runs twice at once. `is_forgotten`: others may have removed what this instance had stored.
   */
  readonly cleanUp: (is_forgotten: boolean) => Promise<void>;
}

type Unproven = Pick<InstanceRow, 'run_id' | 'instance_id' | 'machine' | 'url' | 'version'>;

export function createInstances(deps: Deps): Instances {
  const { repositories, background, run_id, instance_id, machine, version, times } = deps;
  const { clock, log, proofs, findEnded } = deps;
  const { instances } = repositories;
  const standing = createStanding(clock, times.ttl_ms);
  let cancel = () => {};
  let beating = Promise.resolve();
  let cleaning: Promise<void> | undefined;
  let is_forgotten = false;
  let is_skewed = false;

  function beat(instance: InstanceRow): Promise<void> {
    beating = instances.beat(instance, times.ttl_ms).then(
      (was_running) => {
        standing.beaten(was_running);
        is_forgotten ||= !was_running;
      },
      (error: unknown) => {
        standing.failed();
        throw error;
      },
    );
    return beating;
  }

  async function cleanUp(): Promise<void> {
    const silent = (await instances.silent()).filter((row) => row.run_id !== run_id);
    const ended = silent.length === 0 ? [] : await findEnded(silent, standing.is_settled());
    if (ended.length > 0) await instances.removeSilent(ended);
    const was_forgotten = is_forgotten;
    await deps.cleanUp(was_forgotten);
    if (was_forgotten) is_forgotten = false;
  }

  async function removeGone(): Promise<void> {
    if (cleaning !== undefined) return;
    cleaning = cleanUp().finally(() => {
      cleaning = undefined;
    });
    await cleaning;
  }

  async function round(unproven: Unproven): Promise<void> {
    await beat(await proven(unproven));
    await clock.measure();
    warnOfSkew();
    await removeGone();
  }

  /** Adds a fresh proof, because proofs expire. */
  async function proven(instance: Unproven): Promise<InstanceRow> {
    const recordings_directory_id = deps.recordingsDirectoryId();
    const proof = await proofs.sign(instance);
    return { ...instance, proof, clock_skew_ms: clock.skew_ms(), recordings_directory_id };
  }

  function warnOfSkew(): void {
    const was_skewed = is_skewed;
    const skew_ms = clock.skew_ms();
    is_skewed = Math.abs(skew_ms) > MOST_SKEW_MS;
    if (is_skewed && !was_skewed)
      log.warn({ skew_ms }, 'The clock of this machine differs from the database’s');
  }

  return {
    async start(url) {
      const instance = { run_id, instance_id, machine, url, version };
      warnOfSkew();
      const first = await proven(instance);
      await beat(first);
      await deps.takeOver();
      await instances.supersede(first);
      background.run('clean up after other instances', removeGone());
      cancel = every(clock.after, times.heartbeat_ms, () =>
        background.run('send the instance heartbeat', round(instance)),
      );
    },

    async stop() {
      cancel();
      await Promise.allSettled([beating, cleaning]); // a heartbeat would insert the row again
      // Else others would end at once what the next process is about to continue.
      if (!deps.hasHandedOver()) await instances.remove(run_id);
    },
  };
}

/** Whether this instance has reached the database for so long that any other running instance must have reached it, too. */
function createStanding(clock: Pick<Clock, 'elapsed_ms'>, ttl_ms: number) {
  let since_ms: number | undefined;
  return {
    beaten(was_running: boolean): void {
      if (since_ms === undefined || !was_running) since_ms = clock.elapsed_ms();
    },
    failed(): void {
      since_ms = undefined;
    },
    is_settled: () => since_ms !== undefined && clock.elapsed_ms() - since_ms >= ttl_ms,
  };
}
