import type { InstanceRow } from '../../model/terminal.ts';

/** Gateway instances that share this database. All times come from the database's clock. */
export interface InstanceRepository {
  /** Heartbeat: the instance counts as running for `ttl_ms`. */
  beat(instance: InstanceRow, ttl_ms: number): Promise<void>;
  /** Removes earlier runs with this machine and address: only one process can listen there. */
  supersede(instance: InstanceRow): Promise<void>;
  remove(run_id: string): Promise<void>;
  removeExpired(): Promise<void>;
  /** Running instances. */
  running(): Promise<Pick<InstanceRow, 'instance_id' | 'machine'>[]>;
}
