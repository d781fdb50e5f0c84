import { every } from '../lib/timers.ts';
import type { InstanceRow } from '../model/terminal.ts';
import type { TerminalSessionRepository } from '../ports/repositories/terminals.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { InstanceProofs } from './proofs.ts';

const TTL_MS = 30_000; // three missed heartbeats
const HEARTBEAT_MS = 10_000;

/** Announces this instance and its address to the others, and cleans up after instances that are gone. */
export interface Instances {
  /** Resolves once the other instances can find this one at `url`. */
  start(url: string): Promise<void>;
  stop(): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'instances'> & {
    readonly terminal_sessions: Pick<TerminalSessionRepository, 'removeOrphans'>;
  };
  readonly clock: Clock;
  readonly background: Background;
  readonly run_id: string;
  readonly instance_id: string;
  readonly machine: string;
  readonly proofs: Pick<InstanceProofs, 'sign'>;
  /** More cleanup; never runs twice at once. */
  readonly cleanUp: () => Promise<void>;
}

export function createInstances(deps: Deps): Instances {
  const { repositories, clock, background, run_id, instance_id, machine, proofs, cleanUp } = deps;
  const { instances, terminal_sessions } = repositories;
  let cancel = () => {};
  let beating = Promise.resolve();
  let is_cleaning = false;

  function beat(instance: InstanceRow): Promise<void> {
    beating = instances.beat(instance, TTL_MS);
    return beating;
  }

  async function removeGone(): Promise<void> {
    if (is_cleaning) return;
    is_cleaning = true;
    try {
      await instances.removeExpired();
      await terminal_sessions.removeOrphans();
      await cleanUp();
    } finally {
      is_cleaning = false;
    }
  }

  async function round(unproven: Omit<InstanceRow, 'proof'>): Promise<void> {
    await beat(await proven(unproven));
    await removeGone();
  }

  /** With a fresh proof, because proofs expire. */
  async function proven(instance: Omit<InstanceRow, 'proof'>): Promise<InstanceRow> {
    return { ...instance, proof: await proofs.sign(instance) };
  }

  return {
    async start(url) {
      const instance = { run_id, instance_id, machine, url };
      const first = await proven(instance);
      await instances.supersede(first);
      await beat(first);
      background.run('clean up after other instances', removeGone());
      cancel = every(clock.after, HEARTBEAT_MS, () =>
        background.run('send the instance heartbeat', round(instance)),
      );
    },

    async stop() {
      cancel();
      await Promise.allSettled([beating]); // it would insert the row again
      await instances.remove(run_id);
    },
  };
}
