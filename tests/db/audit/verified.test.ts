import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { VerificationStart } from '#core/model/audit/verification.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord, auditRows } from '../../support/features/audit.ts';
import { NOW, setUp } from '../../support/features/audit-retention.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

const ENTRIES = 600; // three pages
const clock = { now: () => new Date(NOW) };

describeEachStore('verification of the audit log', (fresh) => {
  /** A log of two chains, and what reads it. `reads` has the place behind which each page begins. */
  async function prepare() {
    const store = await fresh.migrated();
    const audit = createRepositories(store).audit;
    const seal = createAuditSeal(await createKeyring(SECRET_KEY));
    const first = await auditInstance(store);
    const second = await auditInstance(store);
    const add = (count: number, chain = first) =>
      Promise.all(Array.from({ length: count }, (_, i) => chain.append(auditRecord({ detail: `${i}` }))));
    await add(ENTRIES);
    await add(3, second);
    const reads: number[] = [];
    let whenRead = (_pages: number) => {};
    const { scan } = audit;
    audit.scan = async (chain_id, after_seq, limit) => {
      reads.push(after_seq);
      whenRead(reads.length);
      return await scan(chain_id, after_seq, limit);
    };
    const verify = (from: VerificationStart, signal?: AbortSignal) => {
      reads.splice(0);
      return verifyAudit({ audit, seal, clock }, undefined, { from, signal });
    };
    /** Stops a verification while it reads its second page. */
    async function interrupt(from: VerificationStart = 'start') {
      const stop = new AbortController();
      whenRead = (pages) => pages === 2 && stop.abort();
      await expect(verify(from, stop.signal)).rejects.toThrow();
      whenRead = () => {};
    }
    const edit = async (place: number) => {
      const row = (await auditRows(store))[place];
      const { audit_entries } = store.tables;
      await store.db
        .update(audit_entries)
        .set({ detail: 'else' })
        .where(eq(audit_entries.id, row?.id ?? 0));
      return row?.id;
    };
    return { store, audit, add, reads, verify, interrupt, edit };
  }

  it('is continued where it was interrupted, and then covers the whole log', async () => {
    const { audit, reads, verify, interrupt } = await prepare();
    await interrupt();
    const kept = await audit.verified();
    expect(kept).toMatchObject({ entries: 250, began_at: NOW, is_complete: false });
    const verified_before = { entries: 250, began_at: NOW };
    expect(await verify('checkpoint')).toMatchObject({ ok: true, entries: 353, verified_before });
    expect(reads).toEqual([250, 500, 0]);
    expect(await audit.verified()).toMatchObject({ entries: 603, is_complete: true });
  });

  it('continues a verification that has ended with the entries that are new', async () => {
    const { add, reads, verify } = await prepare();
    expect(await verify('checkpoint')).toMatchObject({ ok: true, entries: 603, verified_before: null });
    expect(await verify('checkpoint')).toMatchObject({ ok: true, entries: 0 });
    expect(reads).toEqual([]);
    await add(5);
    const verified_before = { entries: 603, began_at: NOW };
    expect(await verify('checkpoint')).toMatchObject({ ok: true, entries: 5, verified_before });
    expect(await verify('start')).toMatchObject({ ok: true, entries: 608, verified_before: null });
  });

  it('finds an entry that was changed after it was verified when it reads the whole log', async () => {
    const { audit, verify, edit } = await prepare();
    await verify('start');
    const first_bad_id = await edit(10);
    expect(await verify('checkpoint')).toMatchObject({ ok: true });
    const bad = { ok: false, reason: 'edited', first_bad_id };
    expect(await verify('start')).toMatchObject(bad);
    expect(await audit.verified()).toBeUndefined();
    expect(await verify('checkpoint')).toMatchObject(bad); // it has nothing to continue
  });

  it('finds a change of a later entry when it is continued', async () => {
    const { verify, interrupt, edit } = await prepare();
    await interrupt();
    const first_bad_id = await edit(400);
    expect(await verify('checkpoint')).toMatchObject({ ok: false, reason: 'edited', first_bad_id });
  });

  it('reads a chain again when its last verified entry was removed', async () => {
    const { store, reads, verify, interrupt } = await prepare();
    await interrupt();
    const { audit_entries } = store.tables;
    const [last, next] = (await auditRows(store)).slice(249, 251);
    await store.db.delete(audit_entries).where(eq(audit_entries.id, last?.id ?? 0));
    const bad = { ok: false, reason: 'removed', first_bad_id: next?.id };
    expect(await verify('checkpoint')).toMatchObject(bad);
    expect(reads[0]).toBe(0);
  });

  it('reads the whole log when the record of the last one was forged', async () => {
    const { store, verify, interrupt, edit } = await prepare();
    await interrupt();
    const first_bad_id = await edit(10);
    const { audit_verified } = store.tables;
    await store.db.update(audit_verified).set({ verified_at: '2026-05-01T00:00:00.000Z' });
    expect(await verify('checkpoint')).toMatchObject({ ok: false, first_bad_id, verified_before: null });
  });

  it('is continued after retention has removed what was verified', async () => {
    const { audit, seal, run } = await setUp(fresh);
    const deps = { audit, seal, clock };
    expect(await verifyAudit(deps, undefined)).toMatchObject({ ok: true, entries: 309 });
    await run();
    expect(await verifyAudit(deps, undefined, { from: 'checkpoint' })).toMatchObject({
      ...{ ok: true, entries: 1, checkpoint: { removed: 300 } },
      verified_before: { entries: 9, began_at: NOW },
    });
  });
});
