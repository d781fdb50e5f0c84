import { every } from '../lib/timers.ts';
import type { InstanceRow } from '../model/terminal.ts';
import type { Repositories, TerminalSessionRepository } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';

import type { InstanceProofs } from './proofs.ts';

const TTL_MS = 30_000; // three missed beats
const BEAT_MS = 10_000;

/** Lets the other instances know that this one runs and where, and clears up behind those that do not any more. */
export interface Instances {
  /** Resolves once the others can reach this one under `url`. */
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
  /** More to clear up; not called again before it has resolved. */
  readonly afterBeat: () => Promise<void>;
}

export function createInstances(deps: Deps): Instances {
  const { repositories, clock, background, run_id, instance_id, machine, proofs, afterBeat } = deps;
  const { instances, terminal_sessions } = repositories;
  let cancel = () => {};
  let beating = Promise.resolve();
  let is_clearing = false;

  function beat(instance: InstanceRow): Promise<void> {
    beating = instances.beat(instance, TTL_MS);
    return beating;
  }

  async function clearUp(): Promise<void> {
    if (is_clearing) return;
    is_clearing = true;
    try {
      await instances.removeExpired();
      await terminal_sessions.removeOrphans();
      await afterBeat();
    } finally {
      is_clearing = false;
    }
  }

  async function round(instance: InstanceRow): Promise<void> {
    await beat(instance);
    await clearUp();
  }

  return {
    async start(url) {
      const proof = await proofs.sign({ run_id, url });
      const instance = { run_id, instance_id, machine, url, proof };
      await instances.supersede(instance);
      await beat(instance);
      background.run('clear up behind other instances', clearUp());
      cancel = every(clock.after, BEAT_MS, () =>
        background.run('say that this instance runs', round(instance)),
      );
    },

    async stop() {
      cancel();
      await Promise.allSettled([beating]); // it would put the row back
      await instances.remove(run_id);
    },
  };
}
