import { createAuditRetention } from '../audit/retention.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Vault } from '../crypto/vault.ts';
import { every } from '../lib/timers.ts';
import { toJob } from '../lifecycle.ts';
import type { InForce } from '../model/setting.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { type HousekeepingDeps, startHousekeeping } from './housekeeping.ts';
import { createResealing } from './resealing.ts';

const RESEAL_INTERVAL_MS = 10 * 60_000; // an instance that still runs with the previous key may have sealed with it
const RETENTION_INTERVAL_MS = 10 * 60_000;

export interface OperationPorts {
  readonly repositories: HousekeepingDeps['repositories'] &
    Pick<Repositories, 'sealed' | 'audit' | 'servers' | 'users' | 'webhooks'>;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
}

interface Deps {
  readonly vault: Vault;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
  readonly settings: InForce<'audit_retention_days' | 'audit_max_entries'>;
  /** Whether this instance does what only one may do. */
  readonly leads: () => boolean;
}

export function createOperationsFeature(
  ports: OperationPorts,
  { vault, seal, trail, settings, leads }: Deps,
) {
  const { repositories, clock, background, log } = ports;
  const resealing = createResealing({ repositories, vault, seal, trail, log });
  const retention = createAuditRetention({ repositories, seal, trail, settings, clock, log });
  return {
    jobs: [
      toJob('housekeeping', () => startHousekeeping({ repositories, clock, background })),
      toJob('resealing', () =>
        startRepeated('reseal stored secrets', RESEAL_INTERVAL_MS, resealing.run, ports),
      ),
      toJob('audit retention', () =>
        startRepeated(
          'remove old audit entries',
          RETENTION_INTERVAL_MS,
          async (signal) => (leads() ? retention.run(signal) : undefined),
          ports,
        ),
      ),
    ],
  };
}

/** Now and then again, never twice at once. */
function startRepeated(
  what: string,
  interval_ms: number,
  work: (signal: AbortSignal) => Promise<void>,
  { clock, background }: OperationPorts,
): () => void {
  const stopped = new AbortController();
  let is_running = false;
  const run = () => {
    if (is_running) return;
    is_running = true;
    background.run(
      what,
      work(stopped.signal).finally(() => {
        is_running = false;
      }),
    );
  };
  run();
  const cancel = every(clock.after, interval_ms, run);
  return () => {
    cancel();
    stopped.abort();
  };
}
