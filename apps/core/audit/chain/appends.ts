import type { AuditChainRow, AuditRecord } from '../../model/audit/audit.ts';
import type { FiredEvent } from '../../ports/repositories/webhooks.ts';
import type { SpooledEntry } from './spool.ts';

export interface AppendOptions {
  /** Delivered to webhooks; stored in the same transaction. */
  readonly event?: FiredEvent | undefined;
  /** False when the action does not happen without its entry, or when the caller records it again. */
  readonly retry?: boolean | undefined;
  /** An entry with this name is stored once. */
  readonly once?: string | undefined;
}

/** Appends entries to the chain of this run of this instance; each entry covers the one before it. */
export interface AuditChain {
  /** Resolves when the entry is stored. Rejects while the database is down; the entry is then written late unless `retry` is false. */
  append(record: AuditRecord, options?: AppendOptions): Promise<void>;
  /** Stores an event whose action already has its entry. */
  fire(event: FiredEvent): Promise<void>;
  /** Queues the late entries of another run before all others; false: the entry is still only in its file. */
  adopt(entries: readonly SpooledEntry[]): Promise<boolean>[];
  /** Retries late entries. */
  settle(): Promise<void>;
  /** Retries late entries once more, then leaves the rest in the spool, or writes it to the log. */
  close(): Promise<void>;
  /** Undefined before the first entry. */
  head(): AuditChainRow | undefined;
}
