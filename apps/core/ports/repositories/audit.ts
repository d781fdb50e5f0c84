import type {
  AuditChainRow,
  AuditFilter,
  AuditRollRow,
  AuditRow,
  NewAuditRow,
  ScannedAuditRow,
} from '../../model/audit.ts';
import type { FiredEvent } from './webhooks.ts';

export interface AuditRepository {
  /** Undefined before the first chain. */
  roll(): Promise<AuditRollRow | undefined>;
  /** Stores the chain and the roll together; false when another instance has taken the number. */
  openChain(chain: AuditChainRow, roll: AuditRollRow): Promise<boolean>;
  chain(id: string): Promise<AuditChainRow | undefined>;
  /** By number. */
  chains(): Promise<AuditChainRow[]>;
  /** Stores the entries, the head of their chain and what webhooks are to hear of it together. */
  append(entries: readonly NewAuditRow[], head: AuditChainRow, events?: readonly FiredEvent[]): Promise<void>;
  /** Puts another signature under a head, or the roll, that still says the same; false when it does not. */
  resign(head: AuditChainRow, signature: string): Promise<boolean>;
  resignRoll(roll: AuditRollRow, signature: string): Promise<boolean>;
  /** Entries of one chain by seq, those after `after_seq`. */
  scan(chain_id: string, after_seq: number, limit: number): Promise<ScannedAuditRow[]>;
  /** The id of the first entry that has no chain or no place in it, before its first or behind its head, in one statement. */
  firstStray(): Promise<number | undefined>;
  /** The newest first. */
  page(filter: AuditFilter, paging: { limit: number; offset: number }): Promise<AuditRow[]>;
  /** Not exact: at least as many. A search counts no further than is quick. */
  count(filter: AuditFilter): Promise<{ total: number; exact: boolean }>;
  /** The same order as `page`, those after `after` in it. */
  following(filter: AuditFilter, after: AuditRow | undefined, limit: number): Promise<AuditRow[]>;
}
