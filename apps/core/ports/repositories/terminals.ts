import type { InstanceRow, QuickHostKeyRow, TerminalSessionRow } from '../../model/terminal.ts';

/** The instance that holds a session. */
export interface SessionHome extends Pick<InstanceRow, 'run_id' | 'url' | 'machine' | 'proof'> {
  /** A keeper holds the session: when the instance has ended, another one may continue it. */
  readonly is_kept: boolean;
}

/** Limits of one user, over all instances; undefined means no limit. */
export interface TerminalLimits {
  readonly sessions?: number | undefined;
  /** Quick connects whose shell is not open yet. */
  readonly dials?: number | undefined;
}

/** Sessions of instances that have not ended, or that a keeper holds; those of others are ignored. */
export interface TerminalSessionRepository {
  /** Throws `too_many_sessions` or `too_many_dials` at a limit, also under concurrency. */
  insert(row: TerminalSessionRow, limits: TerminalLimits): Promise<void>;
  /** The shell has started. */
  begin(
    id: string,
    begun: { started_at: string; recording: boolean; kept_ms?: number | null },
  ): Promise<void>;
  /** Stores changes, and restores rows that another instance has removed. */
  refresh(rows: readonly TerminalSessionRow[]): Promise<void>;
  /** The instance of the row continues a session of another one. */
  adopt(row: TerminalSessionRow): Promise<void>;
  setShare(id: string, share_digest: string | null): Promise<void>;
  /** The shell has ended: the session keeps its home, but no longer counts. */
  finish(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Sessions with a running shell, newest first; of one user, or of all when undefined. */
  list(user_id: number | undefined): Promise<TerminalSessionRow[]>;
  /** `kept`: its instance has ended, and no other one has continued it yet. */
  home(id: string): Promise<SessionHome | 'kept' | undefined>;
  homeOfShare(share_digest: string): Promise<SessionHome | 'kept' | undefined>;
  /** Removes sessions whose instance has ended, except those of `run_id`, and returns them; later what a keeper may still hold. */
  removeOrphans(run_id: string): Promise<TerminalSessionRow[]>;
}

/** Trust on first use, per user and address (quick connect). */
export interface QuickHostKeyRepository {
  find(address: Pick<QuickHostKeyRow, 'user_id' | 'hostname' | 'port'>): Promise<QuickHostKeyRow | undefined>;
  /** Pins if nothing is pinned. Returns the row in force. */
  pin(row: Omit<QuickHostKeyRow, 'id'>): Promise<QuickHostKeyRow>;
  /** Ordered by hostname and port. */
  ofUser(user_id: number): Promise<QuickHostKeyRow[]>;
  /** Undefined when the user has no such pin. */
  replace(
    user_id: number,
    id: number,
    key: Pick<QuickHostKeyRow, 'host_key' | 'fingerprint'>,
  ): Promise<{ before: QuickHostKeyRow; after: QuickHostKeyRow } | undefined>;
  /** The removed pin; undefined when the user has no such pin. */
  remove(user_id: number, id: number): Promise<QuickHostKeyRow | undefined>;
}
