import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditChain } from '#core/audit/chain/appends.ts';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import type { AuditSeal } from '#core/crypto/audit-seal.ts';
import { Fault } from '#core/errors.ts';
import type { AuditRollRow } from '#core/model/audit/audit.ts';
import { auditChainOn, auditSeal, createMemory, entry, lost, type Memory } from './in-memory.ts';

let seal: AuditSeal;
beforeAll(async () => {
  seal = await auditSeal();
});

const chainOn = (memory: Memory) => auditChainOn(memory, seal);
const detailsOf = (memory: Memory) => memory.entries.map(({ detail }) => detail);
const verdictOn = (memory: Memory, chain?: AuditChain) => verifyAudit({ audit: memory, seal }, chain?.head());

describe('An audit chain', () => {
  it('is created by its first entry', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    expect([chain.head(), memory.chain_rows.size]).toEqual([undefined, 0]);
    await chain.append(entry('first'));
    expect(chain.head()).toMatchObject({ number: 1, instance_id: 'one', entries: 1 });
    expect(memory.roll_row?.chains).toBe(1);
  });

  it('hashes each entry together with the previous one', async () => {
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
      verified_before: null,
      restored: 0,
      checkpoint: null,
    });
  });

  it('stores entries that arrive during a write together, in order', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    const asked = Array.from({ length: 200 }, (_, i) => String(i));
    await Promise.all(asked.map((detail) => chain.append(entry(detail))));
    expect(memory.batches).toEqual([1, 199]);
    expect(detailsOf(memory)).toEqual(asked);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('stores at most 500 entries in one write', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await Promise.all(Array.from({ length: 1101 }, (_, i) => chain.append(entry(String(i)))));
    expect(memory.batches).toEqual([1, 500, 500, 100]);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('takes the next chain number when another instance took this one', async () => {
    const memory = createMemory();
    const chains = [chainOn(memory), chainOn(memory), chainOn(memory)];
    await Promise.all(chains.map((chain, i) => chain.append(entry(String(i)))));
    expect((await memory.chains()).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(await verdictOn(memory)).toMatchObject({ ok: true, entries: 3 });
  });
});

describe('A write to the audit log', () => {
  it('counts as stored when only its answer was lost, and the next write continues from it', async () => {
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

  it('does not fork the chain when its answer was lost and reading fails too', async () => {
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
    expect(detailsOf(memory)).toEqual([
      'before',
      'unknown',
      'still without a database; written late',
      'after',
    ]);
    expect(memory.chain_rows.size).toBe(1);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('that fails rejects its callers, and the next write continues the same chain', async () => {
    const memory = createMemory();
    const chain = chainOn(memory);
    await chain.append(entry('before'));
    memory.trouble = () => {
      throw lost();
    };
    await expect(chain.append(entry('failed'))).rejects.toMatchObject({ code: 'database_unavailable' });
    await chain.append(entry('after'));
    expect(detailsOf(memory)).toEqual(['before', 'failed; written late', 'after']);
    expect(memory.chain_rows.size).toBe(1);
    expect(await verdictOn(memory, chain)).toMatchObject({ ok: true, entries: 3 });
  });

  it('that fails rejects every entry of its batch and none of the next', async () => {
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
    const late = ['a', 'b', 'c'].map((detail) => `${detail}; written late`);
    expect(detailsOf(memory)).toEqual(['first', ...late, 'next']);
  });

  it('that is stored after it was given up loses no entry and does not break the chain', async () => {
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
      store(); // Another entry has taken its position by now.
    };
    await chain.append(entry('between'));
    await chain.append(entry('after'));
    expect(detailsOf(memory)).toEqual(['before', 'late', 'between', 'after']);
    expect((await verdictOn(memory, chain)).ok).toBe(true);
  });

  it('never continues from a head that was forged while its answer was lost', async () => {
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

describe('The register of chains', () => {
  async function twoChains(): Promise<Memory> {
    const memory = createMemory();
    await chainOn(memory).append(entry('of the first'));
    await chainOn(memory).append(entry('of the second'));
    return memory;
  }
  const numbers = async (memory: Memory) => (await memory.chains()).map(({ number }) => number);

  it('gives the next number when it is genuine', async () => {
    const memory = await twoChains();
    await chainOn(memory).append(entry('of the third'));
    expect(await numbers(memory)).toEqual([1, 2, 3]);
    expect((await verdictOn(memory)).ok).toBe(true);
  });

  it.each([
    ['is missing', () => undefined],
    ['is forged', ({ chains, signature }: AuditRollRow) => ({ chains: chains - 1, signature })],
    ['has a signature that is none', ({ chains }: AuditRollRow) => ({ chains, signature: '∎' })],
  ])('that %s leaves a permanent gap in the numbers', async (_what, tamper) => {
    const memory = await twoChains();
    if (memory.roll_row) memory.roll_row = tamper(memory.roll_row);
    await chainOn(memory).append(entry('of the third'));
    expect(await numbers(memory)).toEqual([1, 2, 4]);
    expect(await verdictOn(memory)).toMatchObject({ ok: false, reason: 'chain_removed' });
  });

  it('reports that all chains were removed when it is empty', async () => {
    const memory = await twoChains();
    memory.chain_rows.clear();
    memory.entries.length = 0;
    expect(await verdictOn(memory)).toMatchObject({ ok: false, reason: 'chain_removed' });
  });

  it('rejects the entry when it cannot be read', async () => {
    const memory = createMemory();
    memory.openChain = async () => false;
    await expect(chainOn(memory).append(entry('nowhere'))).rejects.toThrow(/number/);
  });
});
