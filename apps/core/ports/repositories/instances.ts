import type { InstanceRow } from '../../model/terminal.ts';

/** An instance that sends no heartbeats. */
export interface SilentInstance extends InstanceRow {
  /** Since the end of its last heartbeat. */
  readonly silent_ms: number;
}

/** Gateway instances that share this database. All times come from the database's clock. */
export interface InstanceRepository {
  /** Heartbeat: the instance counts as running for `ttl_ms`. False when it did not count as running before. */
  beat(instance: InstanceRow, ttl_ms: number): Promise<boolean>;
  /**
   * Removes earlier runs with this machine and address: only one process can listen there. What this one has not taken over
   * of their terminals has ended.
   */
  supersede(instance: InstanceRow): Promise<void>;
  remove(run_id: string): Promise<void>;
  /** Instances whose last heartbeat is too old. They may still run. */
  silent(): Promise<SilentInstance[]>;
  /** Removes those of the runs that are still silent. */
  removeSilent(run_ids: readonly string[]): Promise<void>;
  /** Counts the instance as silent until its next heartbeat. */
  doubt(run_id: string): Promise<void>;
  /** The time of the database's clock. */
  time(): Promise<Date>;
  /** Running instances. */
  running(): Promise<InstanceRow[]>;
}
