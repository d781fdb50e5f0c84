import type { Job } from '../lifecycle.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { SessionLedger } from '../terminals/ledger.ts';
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
}

interface Deps {
  readonly proofs: InstanceProofs;
  readonly ledger: SessionLedger;
  readonly recorder: Recorder;
  readonly run_id: string;
}

export function createInstancesFeature(
  { repositories, clock, background }: InstancePorts,
  { proofs, ledger, recorder, run_id }: Deps,
  { instance_id, machine }: InstanceOptions,
) {
  async function cleanUp(): Promise<void> {
    await ledger.refresh();
    await recorder.recover();
  }
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
    start: ({ url }) => instances.start(url),
    stop: instances.stop,
  };
  return { jobs: [job] };
}
