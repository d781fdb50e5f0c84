import type { Job } from '../lifecycle.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { createInstances } from './instances.ts';
import type { InstanceProofs } from './proofs.ts';

export interface InstancePorts {
  readonly repositories: Pick<Repositories, 'instances' | 'terminal_sessions'>;
  readonly clock: Clock;
  readonly background: Background;
}

export interface InstanceOptions {
  readonly instance_id: string;
  /** Host name. */
  readonly machine: string;
  /** `SERVICE_INSTANCE_URL`; by default the address that the gateway listens on. */
  readonly instance_url: string | undefined;
}

interface Deps {
  readonly proofs: InstanceProofs;
  readonly run_id: string;
  /** What other features clean up after instances that are gone. */
  readonly cleanUp: () => Promise<void>;
}

export function createInstancesFeature(
  { repositories, clock, background }: InstancePorts,
  { proofs, run_id, cleanUp }: Deps,
  { instance_id, machine, instance_url }: InstanceOptions,
) {
  const instances = createInstances({
    repositories,
    clock,
    background,
    run_id,
    instance_id,
    machine,
    proofs,
    cleanUp,
  });
  const job: Job = {
    name: 'instance heartbeat',
    start: ({ url }) => instances.start(instance_url ?? url),
    stop: instances.stop,
  };
  return { jobs: [job] };
}
