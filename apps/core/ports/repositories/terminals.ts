import type { InstanceRow, QuickHostKeyRow, TerminalSessionRow } from '../../model/terminal.ts';

/** Where a session is held. */
export type SessionHome = Pick<InstanceRow, 'run_id' | 'url' | 'proof'>;

/** Sessions of instances that run; those of others count for nothing. */
export interface TerminalSessionRepository {
  /** `too_many_sessions` when the user has `limit` already, also of several at once; undefined: no limit. */
  insert(row: TerminalSessionRow, limit: number | undefined): Promise<void>;
  /** The shell is there. */
  begin(id: string, begun: { started_at: string; recording: boolean }): Promise<void>;
  /** What has changed of them; those that others have cleared away meanwhile are put back. */
  refresh(rows: readonly TerminalSessionRow[]): Promise<void>;
  setShare(id: string, share_digest: string | null): Promise<void>;
  /** Its shell is over: it has its home still, and counts no more. */
  finish(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Whose shell is there, the newest first; of one user or of all. */
  list(user_id: number | undefined): Promise<TerminalSessionRow[]>;
  home(id: string): Promise<SessionHome | undefined>;
  homeOfShare(share_digest: string): Promise<SessionHome | undefined>;
  /** Those whose instance is gone. */
  removeOrphans(): Promise<void>;
}

/** Trust on first use, for each user and address (quick connect). */
export interface QuickHostKeyRepository {
  find(address: Pick<QuickHostKeyRow, 'user_id' | 'hostname' | 'port'>): Promise<QuickHostKeyRow | undefined>;
  /** Pins if nothing is pinned; the row in force afterwards. */
  pin(row: Omit<QuickHostKeyRow, 'id'>): Promise<QuickHostKeyRow>;
  /** By host name and port. */
  ofUser(user_id: number): Promise<QuickHostKeyRow[]>;
  /** What was removed; undefined when the user has no such pin. */
  remove(user_id: number, id: number): Promise<QuickHostKeyRow | undefined>;
}
