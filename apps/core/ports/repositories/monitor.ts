import type { ServerStatusRow } from '../../model/server-status.ts';
import type { VisibleGroups } from './hosts.ts';
import type { FiredEvent } from './webhooks.ts';

/** What the monitor found out. A server without a row is unchecked. */
export interface ServerStatusRepository {
  /** Of all servers in the groups, with the group that decides who may see them. */
  list(visible: VisibleGroups): Promise<VisibleStatusRow[]>;
  byServer(server_id: number): Promise<ServerStatusRow | undefined>;
  /** Stores them together under the next revision, leaving out servers that are gone. */
  save(rows: readonly ServerStatusRow[], events?: readonly FiredEvent[]): Promise<void>;
  /** Those stored after a revision, and the last revision there is (0: none yet). */
  since(revision: number): Promise<{ revision: number; rows: VisibleStatusRow[] }>;
  /** Ids of the servers that no check has looked at yet, or not since their address changed. */
  unchecked(): Promise<number[]>;
}

export interface VisibleStatusRow extends ServerStatusRow {
  readonly group: string;
}

/** One row: which instance checks the servers. All times are the database's own. */
export interface MonitorLeaseRepository {
  /** Takes the lease if it is free, expired or ours already; whose it is afterwards, and how long that still lasts. */
  hold(input: {
    run_id: string;
    instance_id: string;
    ttl_ms: number;
  }): Promise<{ is_ours: boolean; expires_in_ms: number }>;
  /** Gives it back, if it is ours. */
  release(run_id: string): Promise<void>;
}
