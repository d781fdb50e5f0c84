import type { AuditTrail } from '../audit/trail.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Vault } from '../crypto/vault.ts';
import { every } from '../lib/timers.ts';
import { toJob } from '../lifecycle.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type HousekeepingDeps, startHousekeeping } from './housekeeping.ts';
import { createResealing, type Resealing } from './resealing.ts';

const RESEAL_INTERVAL_MS = 10 * 60_000; // an instance that still runs with the previous key may have sealed with it

export interface OperationPorts {
  readonly repositories: HousekeepingDeps['repositories'] &
    Pick<Repositories, 'sealed' | 'audit' | 'servers' | 'users' | 'webhooks' | 'part_removals'>;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

interface Deps {
  readonly vault: Vault;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
}

export function createOperationsFeature(ports: OperationPorts, { vault, seal, trail }: Deps) {
  const { repositories, clock, background, log } = ports;
  const resealing = createResealing({ repositories, vault, seal, trail, log });
  return {
    jobs: [
      toJob('housekeeping', () => startHousekeeping({ repositories, clock, background })),
      toJob('resealing', () => startResealing(resealing, ports)),
    ],
  };
}

function startResealing(resealing: Resealing, { clock, background }: OperationPorts): () => void {
  const stopped = new AbortController();
  const run = () => background.run('reseal stored secrets', resealing.run(stopped.signal));
  run();
  const cancel = every(clock.after, RESEAL_INTERVAL_MS, run);
  return () => {
    cancel();
    stopped.abort();
  };
}
