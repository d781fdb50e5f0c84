import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createFindable } from '#core/audit/verification/findable.ts';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

const INDEXED = 5_000; // with fewer entries SQLite does not use the search index

/** A letter that an older version of Unicode does not know has no lower case. */
async function withoutLetter<T>(letter: string, work: () => Promise<T>): Promise<T> {
  const { toLowerCase } = String.prototype;
  String.prototype.toLowerCase = function () {
    return [...String(this)].map((one) => (one === letter ? one : toLowerCase.call(one))).join('');
  };
  return work().finally(() => {
    String.prototype.toLowerCase = toLowerCase;
  });
}

describeEachStore('Verification', (fresh) => {
  async function prepare() {
    const store = await fresh.migrated();
    const repositories = createRepositories(store);
    const { audit } = repositories;
    const seal = createAuditSeal(await createKeyring(SECRET_KEY));
    const gateway = await auditInstance(store);
    const warnings: object[] = [];
    const log = { ...silent, warn: (fields: object) => void warnings.push(fields) };
    const onUnfindable = createFindable({ repositories, log });
    const verdict = () => verifyAudit({ audit, seal, onUnfindable }, gateway.head());
    const find = async (search: string) =>
      (await audit.page({ search }, { limit: 10, offset: 0 })).map(({ id }) => id);
    return { store, repositories, seal, gateway, log, warnings, verdict, find };
  }

  it('finds an entry of an older Unicode version intact, and makes it findable', async () => {
    const { store, gateway, warnings, verdict, find } = await prepare();
    await withoutLetter('Ẁ', () => gateway.append(auditRecord({ username: 'from ẀALES' })));
    const more = store.dialect === 'sqlite' ? INDEXED : 1;
    await Promise.all(Array.from({ length: more }, () => gateway.append(auditRecord())));
    expect(await find('from Ẁales')).toEqual([]);
    expect(await verdict()).toMatchObject({ ok: true, entries: more + 1 });
    expect(await find('from Ẁales')).toEqual([1]);
    expect(await verdict()).toMatchObject({ ok: true });
    expect(warnings).toEqual([{ entries: 1, first_id: 1 }]);
    const { audit_entries } = store.tables;
    await store.db.delete(audit_entries).where(eq(audit_entries.id, 1));
    expect(await find('from Ẁales')).toEqual([]);
  });

  it('lets an entry be removed whose search keys were made longer', async () => {
    const { store, gateway, verdict } = await prepare();
    await gateway.append(auditRecord());
    const { audit_entries } = store.tables;
    await store.db.update(audit_entries).set({ search_key: 'long'.repeat(1_000) });
    expect(await verdict()).toMatchObject({ ok: true });
    await store.db.delete(audit_entries);
    expect(await store.db.select().from(audit_entries)).toEqual([]);
  });

  it('leaves an entry alone whose content was changed with its search keys', async () => {
    const { store, gateway, warnings, verdict } = await prepare();
    await gateway.append(auditRecord({ detail: 'evidence' }));
    await store.db.update(store.tables.audit_entries).set({ detail: 'else', search_key: '' });
    expect(await verdict()).toMatchObject({ ok: false, first_bad_id: 1, reason: 'edited' });
    expect(warnings).toEqual([]);
  });

  it('goes on when search keys cannot be written', async () => {
    const { store, repositories, seal, gateway } = await prepare();
    await gateway.append(auditRecord());
    await store.db.update(store.tables.audit_entries).set({ search_key: '' });
    const audit = { ...repositories.audit, makeFindable: () => Promise.reject(new Error('disk full')) };
    const errors: string[] = [];
    const log = { ...silent, error: (_fields: object, message: string) => void errors.push(message) };
    const onUnfindable = createFindable({ repositories: { audit }, log });
    expect(await verifyAudit({ audit, seal, onUnfindable }, gateway.head())).toMatchObject({ ok: true });
    expect(errors).toHaveLength(1);
  });
});
