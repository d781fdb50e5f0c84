import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createAuditRetention } from '#core/audit/retention.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import { verifyAudit } from '#core/audit/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

const NOW = new Date('2026-03-01T00:00:00.000Z');
const OLD = '2026-01-01T00:00:00.000Z';
const NEW = '2026-02-28T00:00:00.000Z';
const DAYS = { audit_retention_days: 30, audit_max_entries: 0 };

describeEachStore('audit retention', (fresh) => {
  /** Two chains: 300 old entries and 5 new ones, then 3 new ones. */
  async function setUp(values = DAYS) {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const { audit } = repositories;
    const seal = createAuditSeal(await createKeyring(SECRET_KEY));
    const first = await auditInstance(store);
    const chain = await auditInstance(store);
    const dates = [...Array.from({ length: 300 }, () => OLD), ...Array.from({ length: 5 }, () => NEW)];
    await Promise.all(
      dates.map((created_at, i) => first.append(auditRecord({ created_at, detail: `${i}` }))),
    );
    for (const detail of ['a', 'b', 'c']) await chain.append(auditRecord({ created_at: NEW, detail }));
    const clock = { now: () => NOW };
    const errors: object[] = [];
    const log = { ...silent, error: (fields: object) => void errors.push(fields) };
    const trail = createAuditTrail({ chain, clock });
    const retention = createAuditRetention({ repositories, seal, trail, settings: { values }, clock, log });
    const run = () => retention.run(new AbortController().signal);
    const verdict = () => verifyAudit({ audit, seal }, undefined);
    return { store, audit, seal, run, verdict, errors };
  }

  it('removes what is too old, records it once, and leaves a log that can be verified', async () => {
    const { audit, run, verdict } = await setUp();
    await run();
    await run();
    const checkpoint = { removed: 300, last_id: 300, until: OLD, removed_at: NOW.toISOString() };
    expect(await verdict()).toMatchObject({ ok: true, entries: 9, checkpoint });
    const recorded = await audit.page({ action: 'audit_trimmed' }, { limit: 10, offset: 0 });
    expect(recorded.map(({ detail }) => detail)).toEqual([`entries: 300, until ${OLD}, in all: 300`]);
  });

  it('removes the oldest entries above the limit', async () => {
    const { run, verdict } = await setUp({ audit_retention_days: 0, audit_max_entries: 10 });
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 11, checkpoint: { removed: 298 } });
  });

  it('removes nothing by default', async () => {
    const { run, verdict } = await setUp({ audit_retention_days: 0, audit_max_entries: 0 });
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 308, checkpoint: null });
  });

  it('removes the entries from the search, too', async () => {
    const { audit, run } = await setUp();
    await run();
    expect(await audit.count({ search: 'somebody' })).toMatchObject({ total: 8 });
    expect(await audit.page({ search: 'somebody' }, { limit: 20, offset: 0 })).toHaveLength(8);
  });

  it('keeps everything when an entry to remove was changed', async () => {
    const { store, run, verdict, errors } = await setUp();
    const { audit_entries } = store.tables;
    await store.db.update(audit_entries).set({ ip_address: '203.0.113.1' }).where(eq(audit_entries.id, 7));
    await run();
    expect(await verdict()).toMatchObject({ ok: false, first_bad_id: 7, checkpoint: null });
    expect(errors).toHaveLength(1);
  });

  it('does not hide a removal by somebody else', async () => {
    const { store, run, verdict } = await setUp();
    const { audit_entries } = store.tables;
    await store.db.delete(audit_entries).where(eq(audit_entries.id, 1));
    await run();
    expect(await verdict()).toMatchObject({ ok: false, reason: 'removed', checkpoint: null });
  });

  it('shows a checkpoint that was changed, set back, removed or moved on', async () => {
    const { store, audit, seal, run, verdict } = await setUp();
    const { audit_trims } = store.tables;
    await run();
    const trim = await audit.trim();
    if (!trim) throw new Error('Nothing was removed');
    const { number, ...fields } = trim;
    const is = eq(audit_trims.number, number);
    await store.db.update(audit_trims).set({ removed: 299 }).where(is);
    expect(await verdict()).toMatchObject({ ok: false, reason: 'checkpoint_forged' });
    await store.db.update(audit_trims).set({ cuts: '[]' }).where(is);
    expect((await verdict()).ok).toBe(false);
    await store.db.update(audit_trims).set(fields).where(is);
    expect((await verdict()).ok).toBe(true);
    const { number: _number, ...earlier } = await seal.signTrim({ ...trim, removed: 299 });
    await store.db.update(audit_trims).set(earlier).where(is);
    expect(await verdict()).toMatchObject({ ok: false, reason: 'checkpoint_forged' });
    await store.db.delete(audit_trims);
    expect((await verdict()).ok).toBe(false);
  });

  it('changes nothing when another instance removed at the same time', async () => {
    const { audit, run } = await setUp();
    await run();
    const trim = await audit.trim();
    if (!trim) throw new Error('Nothing was removed');
    expect(await audit.removeUpTo(trim, [])).toBe(false);
    expect(await audit.trim()).toEqual(trim);
  });
});
