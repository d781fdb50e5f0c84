import type { InstanceRow } from '../../model/terminal.ts';

/** Gateways that share this database. All times are the database's own. */
export interface InstanceRepository {
  /** Says that it runs, for `ttl_ms` from now. */
  beat(instance: InstanceRow, ttl_ms: number): Promise<void>;
  /** Forgets other runs under this address of this machine: whoever listens there now is the only one. */
  supersede(instance: InstanceRow): Promise<void>;
  remove(run_id: string): Promise<void>;
  removeExpired(): Promise<void>;
  /** Those that run now. */
  running(): Promise<Pick<InstanceRow, 'instance_id' | 'machine'>[]>;
}
