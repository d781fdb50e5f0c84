import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { AT, auditRow, auditRows, chainRow, LATER, twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const ROLL = { chains: 1, signature: 'signed' };

describeEachStore('audit chains', (fresh) => {
  async function prepare() {
    const store = await fresh.migrated();
    const { audit } = createRepositories(store);
    await audit.openChain(chainRow(), ROLL);
    return { store, audit };
  }

  it('are stored together with their register entry', async () => {
    const { audit } = createRepositories(await fresh.migrated());
    expect(await audit.roll()).toBeUndefined();
    expect(await audit.openChain(chainRow(), ROLL)).toBe(true);
    const second = chainRow({ id: 'a', number: 2, started_at: LATER });
    expect(await audit.openChain(second, { chains: 2, signature: 'anew' })).toBe(true);
    expect(await audit.roll()).toEqual({ chains: 2, signature: 'anew' });
    expect(await audit.chain('a')).toEqual(second);
    expect(await audit.chain('b')).toBeUndefined();
    expect(await audit.chains()).toEqual([chainRow(), second]);
  });

  it('change nothing when the number is taken', async () => {
    const { audit } = await prepare();
    const late = chainRow({ id: 'late' });
    expect(await audit.openChain(late, { chains: 1, signature: 'forged' })).toBe(false);
    expect(await audit.roll()).toEqual(ROLL);
    expect(await audit.chains()).toEqual([chainRow()]);
  });

  it('give a number to one of two instances at once', async () => {
    const [one, two] = await twoInstances(fresh);
    for (let number = 1; number <= 10; number += 1) {
      const opened = await Promise.all(
        [one, two, one, two].map(({ audit }, i) =>
          audit.openChain(chainRow({ id: `${number} ${i}`, number }), { chains: number, signature: `${i}` }),
        ),
      );
      expect(opened.filter(Boolean)).toHaveLength(1);
      expect(await one.audit.roll()).toEqual({ chains: number, signature: String(opened.indexOf(true)) });
    }
    expect(await one.audit.chains()).toHaveLength(10);
  });

  it('store an entry with a key once, whoever tries it again', async () => {
    const { audit } = await prepare();
    const [first, second] = auditRows([{}, {}]);
    if (!first || !second) throw new Error('Two rows were asked for');
    const keys = [{ key: 'a:1', expires_at: null }];
    await audit.append([first], chainRow({ entries: 1 }), [], keys);
    await expect(audit.append([second], chainRow({ entries: 2 }), [], keys)).rejects.toThrow();
    expect(await audit.scan('chain', 0, 10)).toHaveLength(1);
    expect(await audit.storedKeys(['a:1', 'a:2'])).toEqual(['a:1']);
    expect(await audit.storedKeys([])).toEqual([]);
  });

  it('name the hash at each place', async () => {
    const { audit } = await prepare();
    const rows = auditRows([{}, {}]);
    await audit.append(rows, chainRow({ entries: 2 }));
    await audit.awaitWrites(['chain', 'gone']);
    expect(await audit.chain('chain')).toEqual(chainRow({ entries: 2 }));
    const places = [
      { chain_id: 'chain', seq: 2 },
      { chain_id: 'chain', seq: 3 },
      { chain_id: 'gone', seq: 1 },
    ];
    expect(await audit.storedHashes(places)).toEqual([rows[1]?.hash]);
    expect(await audit.storedHashes([])).toEqual([]);
  });

  it('store entries exactly as given, with the head', async () => {
    const { audit } = await prepare();
    const odd = ['o\'hara "x" \\ % _ $1 ?', 'ÄÖÜ 漢字 🔑 e\u0301', '\u0001\t\n', ''];
    const times = ['1970-01-01T00:00:00.000Z', '2026-03-29T01:59:59.999Z', '2038-01-19T03:14:08.001Z', AT];
    const entries = auditRows(
      odd.map((text, i) => ({
        username: text,
        action: text,
        detail: text,
        ip_address: text,
        user_id: i || null,
        created_at: times[i] ?? AT,
      })),
    );
    const head = chainRow({ entries: 4, last_hash: 'last', signature: 'anew' });
    await audit.append(entries, head);
    expect(await audit.chain('chain')).toEqual(head);
    const stored = await audit.scan('chain', 0, 10);
    expect(stored).toEqual(entries.map((entry, i) => ({ id: i + 1, ...entry, is_findable: true })));
  });

  it('store thousands of entries at once and return them by position', async () => {
    const { audit } = await prepare();
    const entries = Array.from({ length: 4_000 }, (_, i) => auditRow({ seq: i + 1 }));
    await audit.append(entries, chainRow({ entries: 4_000 }));
    const part = await audit.scan('chain', 1_998, 3);
    expect(part.map(({ seq }) => seq)).toEqual([1_999, 2_000, 2_001]);
    expect(await audit.scan('chain', 4_000, 3)).toEqual([]);
    expect(await audit.scan('another', 0, 3)).toEqual([]);
  });

  it('store neither entries nor head when a position is taken', async () => {
    const { audit } = await prepare();
    await audit.append([auditRow()], chainRow({ entries: 1 }));
    const late = audit.append([auditRow({ seq: 2 }), auditRow({ seq: 1 })], chainRow({ entries: 2 }));
    await expect(late).rejects.toThrow();
    expect(await audit.scan('chain', 0, 10)).toHaveLength(1);
    expect((await audit.chain('chain'))?.entries).toBe(1);
  });

  it('report the first entry that no head covers', async () => {
    const { store, audit } = await prepare();
    expect(await audit.firstStray()).toBeUndefined();
    await audit.openChain(chainRow({ id: 'b', number: 2 }), { chains: 2, signature: '' });
    await audit.append(auditRows([{}, {}, {}]), chainRow({ entries: 3 }));
    await audit.append(
      auditRows([{ chain_id: 'b' }, { chain_id: 'b' }]),
      chainRow({ id: 'b', number: 2, entries: 2 }),
    );
    expect(await audit.firstStray()).toBeUndefined();
    await audit.append([auditRow({ chain_id: 'unknown' })], chainRow({ id: 'unknown' }));
    expect(await audit.firstStray()).toBe(6);
    const { audit_chains, audit_entries } = store.tables;
    await store.db.update(audit_chains).set({ entries: 1 }).where(eq(audit_chains.id, 'b'));
    expect(await audit.firstStray()).toBe(5);
    await store.db.delete(audit_chains).where(eq(audit_chains.id, 'chain'));
    expect(await audit.firstStray()).toBe(1);
    await store.db.delete(audit_entries);
    expect(await audit.firstStray()).toBeUndefined();
  });
});
