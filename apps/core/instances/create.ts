import type { Job } from '../lifecycle.ts';
import type { Neighbours } from '../ports/neighbours.ts';
import type { Notices } from '../ports/notices.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Log } from '../ports/runtime.ts';
import type { Changes } from './changes.ts';
import type { DatabaseClock } from './database-clock.ts';
import { createInstances, INSTANCE_TIMES, type InstanceTimes } from './instances.ts';
import { createJudgement } from './judgement.ts';
import { createNoticesJob } from './notices.ts';
import type { OtherInstances } from './others.ts';
import type { InstanceProofs } from './proofs.ts';

export interface InstancePorts {
  readonly repositories: Pick<Repositories, 'instances'>;
  readonly neighbours: Neighbours;
  readonly notices: Notices;
  readonly database_clock: DatabaseClock;
  readonly background: Background;
  readonly log: Log;
}

export interface InstanceOptions {
  readonly instance_id: string;
  /** Host name. */
  readonly machine: string;
  /** Version of this program. */
  readonly version: string;
  /** `SERVICE_INSTANCE_URL`; by default the address that the gateway listens on. */
  readonly instance_url: string | undefined;
  /** For tests. */
  readonly instance_times?: InstanceTimes | undefined;
}

export interface InstanceServices {
  readonly other_instances: OtherInstances;
}

interface Deps {
  readonly proofs: InstanceProofs;
  readonly others: OtherInstances;
  readonly changes: Changes;
  readonly run_id: string;
  readonly recordingsDirectoryId: () => string | null;
  /** Makes what an earlier process has left running part of this instance. */
  readonly takeOver: () => Promise<void>;
  /** Whether another process continues what this one has left running. */
  readonly hasHandedOver: () => boolean;
  /** What other features clean up after instances that have ended. */
  readonly cleanUp: (is_forgotten: boolean) => Promise<void>;
}

export function createInstancesFeature(
  { repositories, neighbours, notices, database_clock: clock, background, log }: InstancePorts,
  { proofs, others, changes, run_id, recordingsDirectoryId, takeOver, hasHandedOver, cleanUp }: Deps,
  { instance_id, machine, version, instance_url, instance_times: times = INSTANCE_TIMES }: InstanceOptions,
) {
  const instances = createInstances({
    repositories,
    clock,
    background,
    log,
    run_id,
    instance_id,
    machine,
    version,
    times,
    proofs,
    recordingsDirectoryId,
    findEnded: createJudgement({ neighbours, proofs, machine, gone_ms: times.gone_ms }),
    takeOver,
    hasHandedOver,
    cleanUp,
  });
  const job: Job = {
    name: 'instance heartbeat',
    start: ({ url }) => instances.start(instance_url ?? url),
    stop: instances.stop,
  };
  const services: InstanceServices = { other_instances: others };
  return { services, jobs: [createNoticesJob({ notices, changes, log }), job] };
}
