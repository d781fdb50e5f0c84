import { isNotNull } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

describeEachStore('The transport of an audit entry', (fresh) => {
  async function setUp() {
    const store = await fresh.migrated();
    const chain = await auditInstance(store);
    await chain.append(auditRecord());
    await chain.append(auditRecord({ via: 'page' }));
    const { audit } = createRepositories(store);
    const seal = createAuditSeal(await createKeyring(SECRET_KEY));
    return { store, verdict: () => verifyAudit({ audit, seal }, chain.head()) };
  }

  it('is covered by the hash of the entry', async () => {
    const { verdict } = await setUp();
    expect(await verdict()).toMatchObject({ ok: true });
  });

  it.each(['api', null])('changed to %s is found', async (via) => {
    const { store, verdict } = await setUp();
    const { audit_entries } = store.tables;
    await store.db.update(audit_entries).set({ via }).where(isNotNull(audit_entries.via));
    expect(await verdict()).toMatchObject({ ok: false, reason: 'edited' });
  });
});
