import { hashOfEntry } from '../crypto/audit-seal.ts';
import type { AuditChainRow, AuditRecord, NewAuditRow } from '../model/audit.ts';
import type { FiredEvent } from '../ports/repositories.ts';
import { type AuditChainDeps, openAuditChain } from './open.ts';

const MOST_UNANSWERED = 20; // a statement that outlives its deadline does not outlive as many others

/** An entry, and what webhooks are to hear of it; or that alone. */
export interface Storable {
  readonly record: AuditRecord | undefined;
  readonly event: FiredEvent | undefined;
}

/** Where the chain of this run ends. */
export interface AuditEnd<Item extends Storable> {
  /** Undefined before the first entry. */
  head(): AuditChainRow | undefined;
  /**
   * Stores together what `take` gives; returns what has been stored, be it by an earlier write whose answer was lost.
   * Throws when nothing has, as far as that can be known.
   */
  put(take: () => readonly Item[]): Promise<readonly Item[]>;
}

export function createAuditEnd<Item extends Storable>(deps: AuditChainDeps): AuditEnd<Item> {
  const { seal } = deps;
  const { audit } = deps.repositories;
  const unanswered = new Map<string, readonly Item[]>(); // by the hash that the chain ends with if they are stored
  let head: AuditChainRow | undefined;
  let is_certain = true; // false after a write whose answer was lost

  /** After a lost answer, only a head that this instance has signed is built upon. */
  async function findOut(last: AuditChainRow): Promise<readonly Item[]> {
    const stored = await audit.chain(last.id);
    head = stored && (await seal.isGenuineHead(stored)) ? stored : undefined;
    is_certain = true;
    const arrived = unanswered.get(head?.last_hash ?? '') ?? [];
    if (arrived.length > 0 || !head) unanswered.clear();
    return arrived;
  }

  async function write(batch: readonly Item[], before: AuditChainRow): Promise<readonly Item[]> {
    const rows = await chained(batch, before);
    const { seq, hash } = rows.at(-1) ?? { seq: before.entries, hash: before.last_hash };
    const after = await seal.signHead({ ...before, entries: seq, last_hash: hash });
    const events = batch.flatMap(({ event }) => event ?? []);
    try {
      await audit.append(rows, after, events);
    } catch (error) {
      is_certain = false;
      if (rows.length > 0) remember(hash, batch); // of events alone the head does not tell
      const arrived = await findOut(before).catch(() => []); // then it is found out before the next write
      if (arrived.length === 0) throw error;
      return arrived;
    }
    head = after;
    unanswered.clear();
    return batch;
  }

  function remember(hash: string, batch: readonly Item[]): void {
    unanswered.set(hash, batch);
    const [oldest] = unanswered.keys();
    if (unanswered.size > MOST_UNANSWERED && oldest !== undefined) unanswered.delete(oldest);
  }

  return {
    head: () => head,
    async put(take) {
      if (head && !is_certain) {
        const arrived = await findOut(head);
        if (arrived.length > 0) return arrived;
      }
      const batch = take();
      head ??= await openAuditChain(deps);
      return await write(batch, head);
    },
  };
}

async function chained(batch: readonly Storable[], before: AuditChainRow): Promise<NewAuditRow[]> {
  const rows: NewAuditRow[] = [];
  let { entries: seq, last_hash: previous } = before;
  for (const { record } of batch) {
    if (!record) continue;
    seq += 1;
    const placed = { ...record, chain_id: before.id, seq };
    previous = await hashOfEntry(placed, previous);
    rows.push({ ...placed, hash: previous });
  }
  return rows;
}
