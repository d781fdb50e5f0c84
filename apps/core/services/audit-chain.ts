import { hashOfEntry } from '../crypto/audit-seal.ts';
import type { AuditChainRow, AuditRecord, NewAuditRow } from '../model/audit.ts';
import { type AuditChainDeps, openAuditChain } from './audit-open.ts';

const AT_ONCE = 500; // entries stored in one transaction when they come faster than the database takes them

/** The entries of this run of this instance, each covering the one before it. */
export interface AuditChain {
  /** Resolves when the entry is stored. */
  append(record: AuditRecord): Promise<void>;
  /** Undefined before the first entry. */
  head(): AuditChainRow | undefined;
}

interface Waiting {
  readonly record: AuditRecord;
  resolve(): void;
  reject(error: unknown): void;
}

export function createAuditChain(deps: AuditChainDeps): AuditChain {
  const { seal } = deps;
  const { audit } = deps.repositories;
  const waiting: Waiting[] = [];
  let head: AuditChainRow | undefined;
  let is_certain = true; // false after a write whose answer was lost
  let is_writing = false;

  async function write(): Promise<void> {
    if (is_writing) return;
    is_writing = true;
    while (waiting.length > 0) await store(waiting.splice(0, AT_ONCE));
    is_writing = false;
  }

  async function store(batch: readonly Waiting[]): Promise<void> {
    try {
      const before = await currentHead();
      const rows = await chained(
        batch.map(({ record }) => record),
        before,
      );
      head = await append(rows, before);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function append(rows: readonly NewAuditRow[], before: AuditChainRow): Promise<AuditChainRow> {
    const { seq, hash } = rows.at(-1) ?? { seq: before.entries, hash: before.last_hash };
    const after = await seal.signHead({ ...before, entries: seq, last_hash: hash });
    try {
      await audit.append(rows, after);
    } catch (error) {
      is_certain = false;
      if ((await audit.chain(before.id))?.last_hash !== hash) throw error; // or it was stored, and the answer lost
      is_certain = true;
    }
    return after;
  }

  /** After a lost answer, only a head that this instance has signed is built upon. */
  async function currentHead(): Promise<AuditChainRow> {
    if (head && !is_certain) {
      const stored = await audit.chain(head.id);
      head = stored && (await seal.isGenuineHead(stored)) ? stored : undefined;
      is_certain = true;
    }
    head ??= await openAuditChain(deps);
    return head;
  }

  return {
    append: (record) =>
      new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        void write();
      }),
    head: () => head,
  };
}

async function chained(records: readonly AuditRecord[], before: AuditChainRow): Promise<NewAuditRow[]> {
  const rows: NewAuditRow[] = [];
  let { entries: seq, last_hash: previous } = before;
  for (const record of records) {
    seq += 1;
    const placed = { ...record, chain_id: before.id, seq };
    previous = await hashOfEntry(placed, previous);
    rows.push({ ...placed, hash: previous });
  }
  return rows;
}
