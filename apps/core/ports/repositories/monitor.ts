import type { ServerStatusRow } from '../../model/hosts/server-status.ts';
import type { VisibleGroups } from './hosts.ts';
import type { FiredEvent } from './webhooks.ts';

/** Results of the monitor. A server without a row is unchecked. */
export interface ServerStatusRepository {
  /** Statuses of all servers in the groups, with the group that decides who may see them. */
  list(visible: VisibleGroups): Promise<VisibleStatusRow[]>;
  byServer(server_id: number): Promise<ServerStatusRow | undefined>;
  /** Stores all rows under the next revision, skipping deleted servers. */
  save(rows: readonly ServerStatusRow[], events?: readonly FiredEvent[]): Promise<void>;
  /** Rows stored after `revision`, and the latest revision (0 for none). */
  since(revision: number): Promise<{ revision: number; rows: VisibleStatusRow[] }>;
  /** Ids of servers that have not been checked, or not since their address changed. */
  unchecked(): Promise<number[]>;
}

export interface VisibleStatusRow extends ServerStatusRow {
  readonly group: string;
}

/** One row: the instance that checks the servers. All times come from the database's clock. */
export interface MonitorLeaseRepository {
  /** Takes or renews the lease if it is free, expired or ours. Returns the holder and the remaining time. */
  hold(input: {
    run_id: string;
    instance_id: string;
    ttl_ms: number;
  }): Promise<{ is_ours: boolean; expires_in_ms: number }>;
  /** Releases the lease if it is ours. */
  release(run_id: string): Promise<void>;
}
