import {
  type AuditRetention,
  type AuditRetentionDeps,
  createAuditRetention,
} from '../audit/retention/retention.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Vault } from '../crypto/vault.ts';
import { every } from '../lib/time/timers.ts';
import { type Job, toJob } from '../lifecycle.ts';
import type { DiskReserve } from '../ports/disk-reserve.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock, Log } from '../ports/runtime.ts';
import { startDiskReserve } from './disk-reserve.ts';
import { type HousekeepingDeps, startHousekeeping } from './housekeeping.ts';
import { createResealing } from './resealing.ts';

const RESEAL_INTERVAL_MS = 10 * 60_000; // an instance that still runs with the previous key may have sealed with it
const RECORDINGS_INTERVAL_MS = 10 * 60_000;
const HOUR_MS = 60 * 60_000;

export interface OperationPorts {
  readonly repositories: HousekeepingDeps['repositories'] &
    Pick<Repositories, 'sealed' | 'audit' | 'servers' | 'users' | 'webhooks' | 'part_removals'>;
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Log;
  readonly disk_reserve: DiskReserve;
}

/** Removes what is over its limits. */
interface Retention {
  run(signal: AbortSignal): Promise<void>;
}

interface Deps {
  readonly vault: Vault;
  readonly seal: AuditSeal;
  readonly trail: AuditTrail;
  readonly verify: AuditRetentionDeps['verify'];
  readonly settings: AuditRetentionDeps['settings'];
  readonly recordings: Retention;
  /** Whether this instance does what only one may do. */
  readonly leads: () => boolean;
}

export function createOperationsFeature(
  ports: OperationPorts,
  { vault, seal, trail, verify, settings, recordings, leads }: Deps,
) {
  const { repositories, clock, background, log } = ports;
  const resealing = createResealing({ repositories, vault, seal, trail, log });
  const retention = createAuditRetention({ repositories, verify, seal, trail, settings, clock, log });
  return {
    jobs: [
      toJob('housekeeping', () => startHousekeeping({ repositories, clock, background })),
      toJob('disk reserve', () => startDiskReserve(ports)),
      toJob('resealing', () =>
        startRepeated('reseal stored secrets', RESEAL_INTERVAL_MS, resealing.run, ports),
      ),
      toRetentionJob(retention, leads, ports),
      toRecordingRetentionJob(recordings, leads, ports),
    ],
  };
}

/** Daily, because it verifies the whole log; first after an hour, when a clock that was wrong at boot has been set. */
export function toRetentionJob(
  retention: AuditRetention,
  leads: () => boolean,
  ports: Pick<OperationPorts, 'background'> & { readonly clock: Pick<Clock, 'after'> },
): Job {
  let hours_left = 2; // the start counts as one
  const run = async (signal: AbortSignal) => {
    hours_left -= 1;
    if (hours_left > 0 || !leads()) return;
    await retention.run(signal);
    hours_left = 24;
  };
  return toJob('audit retention', () => startRepeated('remove old audit entries', HOUR_MS, run, ports));
}

/** Not at the start, when a clock that was wrong at boot may not be set yet. */
export function toRecordingRetentionJob(
  retention: Retention,
  leads: () => boolean,
  ports: Parameters<typeof toRetentionJob>[2],
): Job {
  let is_start = true;
  const run = async (signal: AbortSignal) => {
    if (!is_start && leads()) await retention.run(signal);
    is_start = false;
  };
  return toJob('recording retention', () =>
    startRepeated('remove old recordings', RECORDINGS_INTERVAL_MS, run, ports),
  );
}

/** Now and then again, never twice at once. */
function startRepeated(
  what: string,
  interval_ms: number,
  work: (signal: AbortSignal) => Promise<void>,
  { clock, background }: Parameters<typeof toRetentionJob>[2],
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
