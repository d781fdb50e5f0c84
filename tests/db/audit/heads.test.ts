import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import type { AuditChainRow } from '#core/model/audit/audit.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord, auditRows } from '../../support/features/audit.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

type Head = Partial<AuditChainRow>;

describeEachStore('A running gateway', (fresh) => {
  /** Two entries of evidence were removed after an earlier head of the chain had been copied. */
  async function prepare() {
    const store = await fresh.migrated();
    const { audit } = createRepositories(store);
    const seal = createAuditSeal(await createKeyring(SECRET_KEY));
    await (await auditInstance(store)).append(auditRecord({ detail: 'of another run' }));
    const errors: string[] = [];
    const gateway = await auditInstance(store, SECRET_KEY, 'of a test', {
      error: (_fields, message) => errors.push(message),
    });
    const append = (detail: string) => gateway.append(auditRecord({ detail }));
    const { audit_entries: rows, audit_chains: heads } = store.tables;
    const setHead = (id: string, head: Head) => store.db.update(heads).set(head).where(eq(heads.id, id));
    const removeAfter = async (count: number) => {
      for (const { id } of (await auditRows(store)).slice(count))
        await store.db.delete(rows).where(eq(rows.id, id));
    };
    /** The next write fails, because its place is taken. */
    async function appendAfterFailure(seq: number, detail: string) {
      const [row] = await auditRows(store);
      const { id } = gateway.head() ?? {};
      if (!row || !id) throw new Error('No chain');
      await store.db.insert(rows).values({ ...row, id: 1_000, chain_id: id, seq });
      const appended = append(detail);
      await appended;
      await store.db.delete(rows).where(eq(rows.id, 1_000));
    }
    for (const detail of ['1', '2', '3']) await append(detail);
    const [other, kept] = await audit.chains();
    if (!other || !kept) throw new Error('No chain');
    for (const detail of ['evidence 4', 'evidence 5']) await append(detail);
    await removeAfter(4);
    const { id, ...head } = kept;
    const verdict = () => verifyAudit({ audit, seal }, undefined);
    return { store, audit, gateway, errors, other, id, head, setHead, appendAfterFailure, verdict };
  }

  it('does not continue an older head that it signed', async () => {
    const { gateway, errors, id, head, setHead, appendAfterFailure, verdict } = await prepare();
    await setHead(id, head);
    await appendAfterFailure(6, 'next');
    expect(gateway.head()).toMatchObject({ number: 3, entries: 1 });
    expect(await verdict()).toMatchObject({ ok: false, reason: 'cut_off' });
    expect(errors).toEqual([expect.stringContaining('set back in the database')]);
  });

  it('records where its chain was, though the stored head was not genuine at that time', async () => {
    const { id, head, setHead, appendAfterFailure, verdict } = await prepare();
    await setHead(id, { ...head, signature: 'AAAA' });
    await appendAfterFailure(6, 'next');
    await setHead(id, head);
    expect(await verdict()).toMatchObject({ ok: false, reason: 'cut_off' });
  });

  it('records where its chain was, though another head claims to have recorded it', async () => {
    const { gateway, other, id, head, setHead, appendAfterFailure, verdict } = await prepare();
    const live = gateway.head();
    await setHead(id, head);
    await setHead(other.id, { witness: JSON.stringify([[id, live?.entries, live?.last_hash]]) });
    await appendAfterFailure(6, 'next');
    await setHead(other.id, { witness: other.witness });
    expect(await verdict()).toMatchObject({ ok: false, reason: 'cut_off' });
  });

  it('still compares its chain with the stored one while it cannot open another', async () => {
    const { store, gateway, id, head, setHead, appendAfterFailure } = await prepare();
    const live = gateway.head();
    await setHead(id, head);
    const { audit_roll } = store.tables;
    const [roll] = await store.db.select().from(audit_roll);
    if (!roll) throw new Error('No roll');
    const signed = await createAuditSeal(await createKeyring(SECRET_KEY)).signRoll(1); // the number 2 is taken
    await store.db.update(audit_roll).set(signed);
    await expect(appendAfterFailure(6, 'next')).rejects.toThrow();
    expect(gateway.head()).toEqual(live);
  });
});
