import { eq, isNotNull, isNull } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

describeEachStore('The transport of an audit entry', (fresh) => {
  /** After an upgrade, the entries of the earlier version have no transport. */
  async function setUp() {
    const store = await fresh.migrated();
    const chain = await auditInstance(store);
    await chain.append(auditRecord());
    await chain.append(auditRecord({ via: 'page' }));
    await chain.append(auditRecord({ via: null }));
    await chain.append(auditRecord({ via: 'of a later version' }));
    const { audit } = createRepositories(store);
    const seal = createAuditSeal(await createKeyring(SECRET_KEY));
    const { audit_entries: entries } = store.tables;
    return { store, entries, verdict: () => verifyAudit({ audit, seal }, chain.head()) };
  }

  it('is covered by the hash of the entry, in a log that has entries without one', async () => {
    const { verdict } = await setUp();
    expect(await verdict()).toMatchObject({ ok: true, entries: 4 });
  });

  it.each(['api', null])('changed to %s is found', async (via) => {
    const { store, entries, verdict } = await setUp();
    await store.db.update(entries).set({ via }).where(isNotNull(entries.via));
    expect(await verdict()).toMatchObject({ ok: false, reason: 'edited', first_bad_id: 2 });
  });

  it('given to an entry that had none is found', async () => {
    const { store, entries, verdict } = await setUp();
    await store.db.update(entries).set({ via: 'page' }).where(isNull(entries.via));
    expect(await verdict()).toMatchObject({ ok: false, reason: 'edited', first_bad_id: 1 });
  });

  it('moved to another entry is found', async () => {
    const { store, entries, verdict } = await setUp();
    await store.db.update(entries).set({ via: null }).where(eq(entries.id, 2));
    await store.db.update(entries).set({ via: 'page' }).where(eq(entries.id, 3));
    expect(await verdict()).toMatchObject({ ok: false, reason: 'edited', first_bad_id: 2 });
  });
});
