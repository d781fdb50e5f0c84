import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord, auditRows } from '../../support/features/audit.ts';

const daysFromNow = (days: number) => new Date(Date.now() + days * 24 * 60 * 60_000).toISOString();

describeEachStore('An audit entry with a name', (fresh) => {
  it('is stored once, whichever process records it again, and holds up no other entry', async () => {
    const store = await fresh.migrated();
    const [killed, next] = await Promise.all([auditInstance(store), auditInstance(store)]);
    const end = auditRecord({ detail: 'the end' });
    await killed.append(end, { once: 'the end of a terminal' });
    await Promise.all([
      next.append(auditRecord({ detail: 'before' })),
      next.append(end, { once: 'the end of a terminal' }),
      next.append(auditRecord({ detail: 'after' })),
    ]);
    await next.append(end);
    const details = (await auditRows(store)).map(({ detail }) => detail);
    expect(details).toEqual(['the end', 'before', 'after', 'the end']);
  });

  it('loses its name after 30 days, but never the key of a file', async () => {
    const store = await fresh.migrated();
    const { audit } = createRepositories(store);
    const instance = await auditInstance(store);
    await instance.append(auditRecord(), { once: 'the end of a terminal' });
    const keys = ['the end of a terminal', 'key of a file'];
    await store.db.insert(store.tables.audit_spooled).values({ key: 'key of a file', expires_at: null });
    await audit.removeExpiredKeys(daysFromNow(29));
    expect((await audit.storedKeys(keys)).sort()).toEqual(keys.toSorted());
    await audit.removeExpiredKeys(daysFromNow(31));
    expect(await audit.storedKeys(keys)).toEqual(['key of a file']);
  });
});
