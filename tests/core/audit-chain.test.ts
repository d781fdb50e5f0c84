import { beforeAll, describe, expect, it } from 'vitest';
import { type AuditSeal, createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { Fault } from '#core/errors.ts';
import type { AuditChainRow, AuditRecord, AuditRollRow, AuditRow } from '#core/model/audit.ts';
import type { AuditRepository } from '#core/ports/repositories.ts';
import { type AuditChain, createAuditChain } from '#core/services/audit-chain.ts';
import { verifyAudit } from '#core/services/audit-verify.ts';
import { silent } from '../support/stores.ts';

const clock = { now: () => new Date('2026-01-02T03:04:05.678Z'), after: () => () => {} };

let seal: AuditSeal;
beforeAll(async () => {
  seal = createAuditSeal(await createKeyring('a secret of the chain tests'));
});

/** A log in memory, whose next write can be made to go wrong. */
interface Memory extends AuditRepository {
  readonly chain_rows: Map<string, AuditChainRow>;
  readonly entries: AuditRow[];
  /** How many entries each write stored. */
  readonly batches: number[];
  roll_row: AuditRollRow | undefined;
  /** Takes the place of the next write; `store` is what it would have done. */
  trouble: ((store: () => void) => void | Promise<void>) | undefined;
  /** What reading a head goes through. */
  chain_trouble: (() => void) | undefined;
}

function createMemory(): Memory {
  const unasked = () => Promise.reject(new Error('A chain does not ask for this'));
  const memory: Memory = {
    chain_rows: new Map(),
    entries: [],
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
    async append(rows, head) {
      const { trouble } = memory;
      memory.trouble = undefined;
      const store = () => {
        for (const { chain_id, seq } of rows) assertFree(memory, chain_id, seq);
        for (const row of rows) memory.entries.push({ ...row, id: memory.entries.length + 1 });
        memory.chain_rows.set(head.id, head);
        memory.batches.push(rows.length);
      };
      await (trouble ? trouble(store) : store());
    },
    resign: unasked,
    resignRoll: unasked,
    scan: async (chain_id, after_seq, limit) =>
      memory.entries
        .filter((row) => row.chain_id === chain_id && row.seq > after_seq)
        .slice(0, limit)
        .map((row) => ({ ...row, is_findable: true })),
    firstStray: async () =>
      memory.entries.find((row) => row.seq > (memory.chain_rows.get(row.chain_id)?.entries ?? -1))?.id,
    page: unasked,
    count: unasked,
    following: unasked,
  };
  return memory;
}

/** As the unique index on the place in the chain does. */
function assertFree({ entries }: Memory, chain_id: string, seq: number): void {
  if (entries.some((row) => row.chain_id === chain_id && row.seq === seq)) throw lost();
}

function lost(): Fault {
  return new Fault('database_unavailable');
}

function chainOn(memory: Memory): AuditChain {
  return createAuditChain({ repositories: { audit: memory }, seal, clock, log: silent, instance_id: 'one' });
}

function entry(detail: string): AuditRecord {
  const created_at = clock.now().toISOString();
  return { user_id: 1, username: 'ada', action: 'logout', detail, ip_address: '192.0.2.1', created_at };
}

const detailsOf = (memory: Memory) => memory.entries.map(({ detail }) => detail);
const verdictOn = (memory: Memory, chain?: AuditChain) => verifyAudit({ audit: memory, seal }, chain?.head());

describe('An audit chain', () => {
  it('is opened by its first entry', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    expect([chain.head(), memory.chain_rows.size]).toEqual([undefined, 0]);
    await chain.append(entry('first'));
    expect(chain.head()).toMatchObject({ number: 1, instance_id: 'one', entries: 1 });
    expect(memory.roll_row?.chains).toBe(1);
  });

  it('covers each entry together with the one before it', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    for (const detail of ['a', 'b', 'c']) await chain.append(entry(detail));
    expect(memory.entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(new Set(memory.entries.map(({ hash }) => hash)).size).toBe(3);
    expect(chain.head()?.last_hash).toBe(memory.entries.at(-1)?.hash);
    expect(await verdictOn(memory, chain)).toEqual({
      ok: true,
      entries: 3,
      first_bad_id: null,
      reason: null,
    });
  });

  it('stores together what comes while a write is under way, in the order of asking', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    const asked = Array.from({ length: 200 }, (_, i) => String(i));
    await Promise.all(asked.map((detail) => chain.append(entry(detail))));
    expect(memory.batches).toEqual([1, 199]);
    expect(detailsOf(memory)).toEqual(asked);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('stores no more than 500 entries at once', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await Promise.all(Array.from({ length: 1101 }, (_, i) => chain.append(entry(String(i)))));
    expect(memory.batches).toEqual([1, 500, 500, 100]);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('takes the next number when another instance was first', async () => {
    const memory = createMemory();
    const chains = [chainOn(memory), chainOn(memory), chainOn(memory)];
    await Promise.all(chains.map((chain, i) => chain.append(entry(String(i)))));
    expect((await memory.chains()).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(await verdictOn(memory)).toMatchObject({ ok: true, entries: 3 });
  });
});

describe('A write of the audit log', () => {
  it('whose answer was lost is taken as stored, and the next one builds upon it', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await chain.append(entry('before'));
    memory.trouble = (store) => {
      store();
      throw lost();
    };
    await chain.append(entry('unanswered'));
    await chain.append(entry('after'));
    expect(detailsOf(memory)).toEqual(['before', 'unanswered', 'after']);
    expect(await verdictOn(memory, chain)).toMatchObject({ ok: true, entries: 3 });
  });

  it('whose answer was lost while nothing could be read either forks nothing', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await chain.append(entry('before'));
    memory.trouble = (store) => {
      store();
      memory.chain_trouble = () => {
        throw lost();
      };
      throw lost();
    };
    await expect(chain.append(entry('unknown'))).rejects.toThrow(Fault);
    await expect(chain.append(entry('still without a database'))).rejects.toThrow(Fault);
    memory.chain_trouble = undefined;
    await chain.append(entry('after'));
    expect(detailsOf(memory)).toEqual(['before', 'unknown', 'after']);
    expect(memory.chain_rows.size).toBe(1);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('that fails rejects its callers, and the next one goes on in the same chain', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await chain.append(entry('before'));
    memory.trouble = () => {
      throw lost();
    };
    await expect(chain.append(entry('failed'))).rejects.toMatchObject({ code: 'database_unavailable' });
    await chain.append(entry('after'));
    expect(detailsOf(memory)).toEqual(['before', 'after']);
    expect(memory.chain_rows.size).toBe(1);
    expect(await verdictOn(memory, chain)).toMatchObject({ ok: true, entries: 2 });
  });

  it('that fails rejects all of its batch and none of the next', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    const first = chain.append(entry('first'));
    const batch = ['a', 'b', 'c'].map((detail) => chain.append(entry(detail)));
    await first;
    memory.trouble = () => {
      throw lost();
    };
    const outcomes = await Promise.allSettled(batch);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await chain.append(entry('next'));
    expect(detailsOf(memory)).toEqual(['first', 'next']);
  });

  it('that is stored only after it was given up costs one entry, never the chain', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await chain.append(entry('before'));
    let late = () => {};
    memory.trouble = (store) => {
      late = store;
      throw lost();
    };
    await expect(chain.append(entry('late'))).rejects.toThrow(Fault);
    memory.trouble = (store) => {
      late();
      store(); // its place is taken now
    };
    await expect(chain.append(entry('refused'))).rejects.toThrow(Fault);
    await chain.append(entry('after'));
    expect(detailsOf(memory)).toEqual(['before', 'late', 'after']);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('never builds upon a head that was forged while its answer was lost', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await chain.append(entry('before'));
    const [head] = await memory.chains();
    if (!head) throw new Error('No chain was opened');
    memory.trouble = () => {
      memory.chain_rows.set(head.id, { ...head, entries: 0, last_hash: '' });
      throw lost();
    };
    await expect(chain.append(entry('failed'))).rejects.toThrow(Fault);
    await chain.append(entry('after'));
    expect(chain.head()?.id).not.toBe(head.id);
    expect(await verdictOn(memory, chain)).toMatchObject({ ok: false });
  });
});

describe('The roll of chains', () => {
  async function twoChains(): Promise<Memory> {
    const memory = createMemory();
    await chainOn(memory).append(entry('of the first'));
    await chainOn(memory).append(entry('of the second'));
    return memory;
  }
  const numbers = async (memory: Memory) => (await memory.chains()).map(({ number }) => number);

  it('that is genuine gives the next number', async () => {
    const memory = await twoChains();
    await chainOn(memory).append(entry('of the third'));
    expect(await numbers(memory)).toEqual([1, 2, 3]);
    expect((await verdictOn(memory)).ok).toBe(true);
  });

  it.each([
    ['is missing', () => undefined],
    ['is forged', ({ chains, signature }: AuditRollRow) => ({ chains: chains - 1, signature })],
    ['has a signature that is none', ({ chains }: AuditRollRow) => ({ chains, signature: '∎' })],
  ])('that %s leaves a gap in the numbers, for ever', async (_what, tamper) => {
    const memory = await twoChains();
    if (memory.roll_row) memory.roll_row = tamper(memory.roll_row);
    await chainOn(memory).append(entry('of the third'));
    expect(await numbers(memory)).toEqual([1, 2, 4]);
    expect(await verdictOn(memory)).toMatchObject({ ok: false, reason: 'chain_removed' });
  });

  it('without any chain tells that all were taken away', async () => {
    const memory = await twoChains();
    memory.chain_rows.clear();
    memory.entries.length = 0;
    expect(await verdictOn(memory)).toMatchObject({ ok: false, reason: 'chain_removed' });
  });

  it('that can never be had rejects the entry', async () => {
    const memory = createMemory();
    memory.openChain = async () => false;
    await expect(chainOn(memory).append(entry('nowhere'))).rejects.toThrow(/number/);
  });
});
