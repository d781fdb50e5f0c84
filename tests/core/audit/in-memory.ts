import type { AuditChain } from '#core/audit/chain/appends.ts';
import { type AuditChainDeps, createAuditChain } from '#core/audit/chain/chain.ts';
import { type AuditSeal, createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { Fault } from '#core/errors.ts';
import type { AuditChainRow, AuditRecord, AuditRollRow, AuditRow } from '#core/model/audit/audit.ts';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import type { FiredEvent } from '#core/ports/repositories/webhooks.ts';
import { silent } from '../../support/databases/stores.ts';

const clock = { now: () => new Date('2026-01-02T03:04:05.678Z'), elapsed_ms: () => 0, after: () => () => {} };

export async function auditSeal(): Promise<AuditSeal> {
  return createAuditSeal(await createKeyring('a secret of the chain tests'));
}

/** An audit log in memory whose next write can be made to fail. */
export interface Memory extends AuditRepository {
  readonly chain_rows: Map<string, AuditChainRow>;
  readonly entries: AuditRow[];
  readonly told: FiredEvent[];
  /** Of spooled entries. */
  readonly keys: Set<string>;
  /** The number of entries in each write. */
  readonly batches: number[];
  roll_row: AuditRollRow | undefined;
  /** Replaces the next write; `store` is what that write would have done. */
  trouble: ((store: () => void) => void | Promise<void>) | undefined;
  /** Wraps each read of a head. */
  chain_trouble: (() => void) | undefined;
}

export function createMemory(): Memory {
  const unasked = () => Promise.reject(new Error('A chain does not ask for this'));
  const memory: Memory = {
    chain_rows: new Map(),
    entries: [],
    told: [],
    keys: new Set(),
    batches: [],
    roll_row: undefined,
    trouble: undefined,
    chain_trouble: undefined,
    roll: async () => memory.roll_row,
    async chain(id) {
      memory.chain_trouble?.();
      return memory.chain_rows.get(id);
    },
    chains: async () => [...memory.chain_rows.values()].sort((a, b) => a.number - b.number),
    async openChain(chain, roll) {
      if ((await memory.chains()).some(({ number }) => number === chain.number)) return false;
      memory.chain_rows.set(chain.id, chain);
      memory.roll_row = roll;
      return true;
    },
    async append(rows, head, events = [], keys = []) {
      const { trouble } = memory;
      memory.trouble = undefined;
      const store = () => {
        for (const { chain_id, seq } of rows) assertFree(memory, chain_id, seq);
        for (const { key } of keys) assertNew(memory, key);
        for (const row of rows) memory.entries.push({ ...row, id: memory.entries.length + 1 });
        memory.chain_rows.set(head.id, head);
        memory.told.push(...events);
        memory.batches.push(rows.length);
      };
      await (trouble ? trouble(store) : store());
      return events.length > 0;
    },
    awaitWrites: async () => undefined,
    storedKeys: async (keys) => keys.filter((key) => memory.keys.has(key)),
    storedHashes: async (places) =>
      places.flatMap(({ chain_id, seq }) =>
        memory.entries.filter((row) => row.chain_id === chain_id && row.seq === seq).map(({ hash }) => hash),
      ),
    removeExpiredKeys: unasked,
    trim: async () => undefined,
    verified: async () => undefined,
    keepVerified: unasked,
    firstUpTo: async () => undefined,
    ...{ resignTrim: unasked, removeUpTo: unasked },
    resign: unasked,
    resignRoll: unasked,
    scan: async (chain_id, after_seq, limit) =>
      memory.entries
        .filter((row) => row.chain_id === chain_id && row.seq > after_seq)
        .slice(0, limit)
        .map((row) => ({ ...row, is_findable: true })),
    makeFindable: unasked,
    firstStray: async () =>
      memory.entries.find((row) => row.seq > (memory.chain_rows.get(row.chain_id)?.entries ?? -1))?.id,
    page: unasked,
    count: unasked,
    following: unasked,
  };
  return memory;
}

/** Stands in for the unique index on the position in the chain. */
function assertFree({ entries }: Memory, chain_id: string, seq: number): void {
  // From the end: searching thousands of entries takes seconds.
  if (entries.findLast((row) => row.chain_id === chain_id && row.seq <= seq)?.seq === seq) throw lost();
}

/** Stands in for the primary key. */
function assertNew({ keys }: Memory, key: string): void {
  if (keys.has(key)) throw new Error('duplicate key');
  keys.add(key);
}

export function lost(): Fault {
  return new Fault('database_unavailable');
}

export function auditChainOn(
  memory: Memory,
  seal: AuditSeal,
  more: Partial<AuditChainDeps> = {},
): AuditChain {
  const repositories = { audit: memory };
  return createAuditChain({ repositories, seal, clock, log: silent, instance_id: 'one', ...more });
}

export function entry(detail: string): AuditRecord {
  const created_at = clock.now().toISOString();
  return { user_id: 1, username: 'ada', action: 'logout', detail, ip_address: '192.0.2.1', created_at };
}
