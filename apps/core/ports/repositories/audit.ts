import type {
  AuditChainRow,
  AuditFilter,
  AuditRollRow,
  AuditRow,
  AuditTrimRow,
  NewAuditRow,
  ScannedAuditRow,
} from '../../model/audit/audit.ts';
import type { AuditVerifiedRow } from '../../model/audit/verification.ts';
import type { FiredEvent } from './webhooks.ts';

/** The last removed entry of a chain. */
export type AuditCut = Pick<NewAuditRow, 'chain_id' | 'seq' | 'hash'>;

/** What keeps an entry from being stored twice. */
export interface AuditKey {
  readonly key: string;
  /** Null: kept for as long as the database. */
  readonly expires_at: string | null;
}

export interface AuditRepository {
  /** Undefined before the first chain. */
  roll(): Promise<AuditRollRow | undefined>;
  /** Stores the chain and the roll together; false when another instance has used the number. */
  openChain(chain: AuditChainRow, roll: AuditRollRow): Promise<boolean>;
  chain(id: string): Promise<AuditChainRow | undefined>;
  /** Ordered by number. */
  chains(): Promise<AuditChainRow[]>;
  /**
   * Stores the entries, the head of their chain, the webhook events and the keys of spooled entries together. False when no
   * webhook wants the events.
   */
  append(
    entries: readonly NewAuditRow[],
    head: AuditChainRow,
    events?: readonly FiredEvent[],
    keys?: readonly AuditKey[],
  ): Promise<boolean>;
  /** Resolves when no write to these chains, whose writers have ended, is in progress in the database. */
  awaitWrites(chain_ids: readonly string[]): Promise<void>;
  /** Those of the keys that were stored with an entry. */
  storedKeys(keys: readonly string[]): Promise<string[]>;
  removeExpiredKeys(now: string): Promise<void>;
  /** Hashes of the entries at these places. */
  storedHashes(places: readonly Pick<NewAuditRow, 'chain_id' | 'seq'>[]): Promise<string[]>;
  /** Replaces the signature of a head or the roll; false when its content has changed. */
  resign(head: AuditChainRow, signature: string): Promise<boolean>;
  resignRoll(roll: AuditRollRow, signature: string): Promise<boolean>;
  /** The one in force; undefined when nothing was ever removed. */
  trim(): Promise<AuditTrimRow | undefined>;
  resignTrim(trim: AuditTrimRow, signature: string): Promise<boolean>;
  /** Removes the entries up to the cut and stores the trim, together; false unless its number is the next one. */
  removeUpTo(trim: AuditTrimRow, cut: AuditCut): Promise<boolean>;
  /** Undefined when no verification has recorded how far it got. */
  verified(): Promise<AuditVerifiedRow | undefined>;
  /** Replaces the one that is stored; undefined removes it. */
  keepVerified(verified: AuditVerifiedRow | undefined): Promise<void>;
  /** Id of the first entry that is not behind the cut of its chain. */
  firstUpTo(cuts: readonly AuditCut[]): Promise<number | undefined>;
  /** Entries of one chain after `after_seq`, ordered by seq. */
  scan(chain_id: string, after_seq: number, limit: number): Promise<ScannedAuditRow[]>;
  /** Writes the search keys of these entries again. */
  makeFindable(rows: readonly ScannedAuditRow[]): Promise<void>;
  /** Id of the first entry without a chain, or outside the range from its chain's first entry to its head. */
  firstStray(): Promise<number | undefined>;
  /** Newest first. */
  page(filter: AuditFilter, paging: { limit: number; offset: number }): Promise<AuditRow[]>;
  /** When not `exact`, a lower bound: counting stops early on large results. */
  count(filter: AuditFilter): Promise<{ total: number; exact: boolean }>;
  /** The entries after `after`, in the order of `page`. */
  following(filter: AuditFilter, after: AuditRow | undefined, limit: number): Promise<AuditRow[]>;
}
