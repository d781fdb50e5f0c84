import type { InstanceRow } from '../model/terminal.ts';
import type { Repositories } from '../ports/repositories.ts';
import { isReachable } from './judgement.ts';
import type { InstanceProofs } from './proofs.ts';

/** The other running instances that this one can reach. */
export interface OtherInstances {
  list(): Promise<InstanceRow[]>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'instances'>;
  readonly proofs: Pick<InstanceProofs, 'holds'>;
  readonly run_id: string;
  /** Host name of this instance. */
  readonly machine: string;
}

export function createOtherInstances({ repositories, proofs, run_id, machine }: Deps): OtherInstances {
  return {
    async list() {
      const running = await repositories.instances.running();
      const others = running.filter((row) => row.run_id !== run_id && isReachable(row, machine));
      const are_proven = await Promise.all(others.map(proofs.holds));
      return others.filter((_row, i) => are_proven[i]);
    },
  };
}
