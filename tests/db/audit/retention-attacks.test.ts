import { and, eq, gt, lte } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { limitsDetail } from '#core/audit/retention/limits.ts';
import { hashOfEntry } from '#core/crypto/audit-seal.ts';
import { restoredInstance } from '#core/model/audit/audit.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { DAYS, NEW, OFF, OLD, setUp } from '../../support/features/audit-retention.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

type Instance = Awaited<ReturnType<typeof setUp>>;

describeEachStore('audit retention', (fresh) => {
  it('keeps everything when an entry to remove was changed', async () => {
    const { store, run, verdict, errors } = await setUp(fresh);
    const { audit_entries } = store.tables;
    await store.db.update(audit_entries).set({ ip_address: '203.0.113.1' }).where(eq(audit_entries.id, 7));
    await run();
    await run();
    expect(await verdict()).toMatchObject({ ok: false, first_bad_id: 7, checkpoint: null });
    expect(errors).toEqual([{ reason: 'verification failed (edited)' }]);
  });

  it('does not hide a removal by somebody else', async () => {
    const { store, run, verdict } = await setUp(fresh);
    const { audit_entries } = store.tables;
    await store.db.delete(audit_entries).where(eq(audit_entries.id, 1));
    await run();
    expect(await verdict()).toMatchObject({ ok: false, reason: 'removed', checkpoint: null });
  });

  it('shows a checkpoint that was changed, set back, removed or replaced', async () => {
    const { store, audit, seal, chain, run, verdict } = await setUp(fresh);
    const { audit_trims } = store.tables;
    await run();
    const trim = await audit.trim();
    if (!trim) throw new Error('Nothing was removed');
    const { number, ...fields } = trim;
    const set = (values: Partial<typeof trim>) =>
      store.db.update(audit_trims).set(values).where(eq(audit_trims.number, number));
    await set({ until: NEW });
    expect(await verdict()).toMatchObject({ ok: false, reason: 'checkpoint_forged' });
    await set({ ...fields, limits: '{}' });
    expect(await verdict()).toMatchObject({ ok: false, reason: 'checkpoint_forged' });
    await set({ ...fields, cuts: '[]' });
    expect((await verdict()).ok).toBe(false);
    const cuts = JSON.stringify([[chain.id, 306, chain.last_hash]]);
    await set({ ...fields, cuts });
    expect((await verdict()).ok).toBe(false);
    const { number: _number, ...earlier } = await seal.signTrim({ ...trim, cuts: '[]' });
    await set(earlier);
    expect((await verdict()).ok).toBe(false);
    await set(fields);
    expect((await verdict()).ok).toBe(true);
    await store.db.delete(audit_trims);
    expect((await verdict()).ok).toBe(false);
  });

  it('signs nothing behind a head that is not genuine: an ended chain', async () => {
    const { store, chain, run, verdict, errors } = await setUp(fresh);
    const { audit_entries, audit_chains } = store.tables;
    const isHead = eq(audit_chains.id, chain.id);
    await store.db.update(audit_chains).set({ signature: 'AAAA' }).where(isHead);
    await store.db
      .delete(audit_entries)
      .where(and(eq(audit_entries.chain_id, chain.id), gt(audit_entries.seq, 1)));
    const last = { seq: chain.entries, hash: chain.last_hash };
    await store.db.update(audit_entries).set(last).where(eq(audit_entries.chain_id, chain.id));
    await run();
    await store.db.update(audit_chains).set({ signature: chain.signature }).where(isHead);
    expect(await verdict()).toMatchObject({ ok: false, checkpoint: null });
    expect(errors).toHaveLength(1);
  });

  it('signs nothing behind a head that is not genuine: the chain of the running instance', async () => {
    const instance = await setUp(fresh);
    const { store, audit, run, verdict } = instance;
    const { audit_entries, audit_chains } = store.tables;
    const append = (detail: string) => instance.live.append(auditRecord({ created_at: NEW, detail }));
    for (let i = 1; i <= 13; i += 1) await append(`evidence ${i}`);
    const { id } = instance.live.head() ?? { id: '' };
    const is = eq(audit_entries.chain_id, id);
    const [twelfth] = await audit.scan(id, 11, 1);
    await store.db.update(audit_chains).set({ signature: 'AAAA' }).where(eq(audit_chains.id, id));
    await store.db.delete(audit_entries).where(and(is, gt(audit_entries.seq, 1), lte(audit_entries.seq, 12)));
    const moved = { seq: 12, hash: twelfth?.hash ?? '', created_at: OLD };
    await store.db
      .update(audit_entries)
      .set(moved)
      .where(and(is, eq(audit_entries.seq, 1)));
    await run();
    await append('this signs the head again');
    await run();
    expect(await verdict()).toMatchObject({ ok: false, reason: 'removed', checkpoint: null });
  });

  /** Runs retention, and something else between the verification and the removal. */
  async function runWith(strike: (instance: Instance) => Promise<unknown>, instance: Instance) {
    const { audit, run } = instance;
    const { firstStray } = audit;
    audit.firstStray = async () => {
      const stray = await firstStray(); // the last read of a verification
      await strike(instance);
      return stray;
    };
    await run();
    audit.firstStray = firstStray;
  }

  it('signs what it has verified, though the entries are forged before they are removed', async () => {
    const instance = await setUp(fresh);
    const { audit, store, chain, verdict } = instance;
    const { audit_entries: rows } = store.tables;
    const [last] = await audit.scan(chain.id, 299, 1);
    await runWith(async () => {
      let hash = '';
      for (const row of await audit.scan(chain.id, 0, 300)) {
        const forged = { ...row, detail: 'forged' };
        hash = await hashOfEntry(forged, hash);
        await store.db.update(rows).set({ detail: 'forged', hash }).where(eq(rows.id, row.id));
      }
    }, instance);
    const trim = await audit.trim();
    expect(trim?.cuts).toBe(JSON.stringify([[chain.id, 300, last?.hash]]));
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 300 } });
  });

  it('hides no change of an entry that stays, made before the removal', async () => {
    const instance = await setUp(fresh);
    const { store, chain, verdict } = instance;
    const { audit_entries: rows } = store.tables;
    const isFirstKept = and(eq(rows.chain_id, chain.id), eq(rows.seq, 301));
    await runWith(() => store.db.update(rows).set({ detail: 'forged' }).where(isFirstKept), instance);
    expect(await verdict()).toMatchObject({ ok: false, reason: 'edited', checkpoint: { removed: 300 } });
  });

  it.each([1, 7])(
    'removes nothing when a checkpoint (%i) is put in place after the verification',
    async (number) => {
      const instance = await setUp(fresh);
      const { store, verdict, chain, actions } = instance;
      const { audit_trims } = store.tables;
      const cuts = JSON.stringify([[chain.id, 306, chain.last_hash]]);
      const forged = { number, until: NEW, removed_at: NEW, cuts, limits: '{}', signature: 'AAAA' };
      await runWith(() => store.db.insert(audit_trims).values(forged), instance);
      expect(await actions()).not.toContain('audit_trimmed');
      await store.db.delete(audit_trims);
      expect(await verdict()).toMatchObject({ ok: true, entries: 309, checkpoint: null });
    },
  );

  it.each([
    ['at first', [true, false]],
    ['at last', [false, true]],
  ])('shows a forged checkpoint that is in place only %s', async (_when, reads) => {
    const { audit, chain, verdict } = await setUp(fresh);
    const cuts = JSON.stringify([[chain.id, 306, chain.last_hash]]);
    const forged = { number: 1, until: NEW, removed_at: NEW, cuts, limits: '{}', signature: 'AAAA' };
    audit.trim = async () => (reads.shift() ? forged : undefined);
    audit.firstUpTo = async () => undefined;
    expect(await verdict()).toMatchObject({ ok: false, reason: 'checkpoint_forged' });
  });

  it('shows entries that are put back after their removal', async () => {
    const { store, chain, run, verdict } = await setUp(fresh);
    const { audit_entries: rows } = store.tables;
    const [fifth] = await store.db
      .select()
      .from(rows)
      .where(and(eq(rows.chain_id, chain.id), eq(rows.seq, 5)));
    if (!fifth) throw new Error('No entry');
    await run();
    await store.db.insert(rows).values(fifth);
    expect(await verdict()).toMatchObject({ ok: false, first_bad_id: fifth.id, reason: 'added' });
  });

  it('shows a removal that was undone: the entries are back, and the checkpoint is gone', async () => {
    const { store, run, verdict } = await setUp(fresh);
    const { audit_entries: rows, audit_trims } = store.tables;
    const removed = await store.db.select().from(rows).where(eq(rows.created_at, OLD));
    await run();
    await store.db.delete(audit_trims);
    for (let i = 0; i < removed.length; i += 50) await store.db.insert(rows).values(removed.slice(i, i + 50));
    expect(await verdict()).toMatchObject({ ok: false, reason: 'checkpoint_forged', entries: 310 });
  });

  it('believes no record in a restored chain: its maker may have forged it', async () => {
    const { store, run, verdict } = await setUp(fresh, { recorded: OFF });
    const restored = await auditInstance(store, SECRET_KEY, restoredInstance('of a bundle'));
    const records = { audit_limits: limitsDetail(DAYS) ?? '', audit_trimmed: `until ${OLD}, in all: 999` };
    for (const [action, detail] of Object.entries(records))
      await restored.append(auditRecord({ action, detail, created_at: '2026-02-27T01:00:00.000Z' }));
    await run();
    expect(await verdict()).toMatchObject({ ok: true, restored: 2, checkpoint: null });
  });
});
