import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { hashOfEntry } from '#core/crypto/audit-seal.ts';
import type { AuditEntry, AuditRecord, AuditVerdict } from '#core/model/audit/audit.ts';
import { describeVerdict } from '#server/cli/audit-verify.ts';
import { backupRows, exported, forged, restored, restoring } from '../../support/features/backups.ts';
import { type Actor, describeEachGateway, startGateway } from '../../support/gateway/gateway.ts';

type Line = Parameters<typeof forged>[0][number];

interface Chain {
  readonly lines: readonly Line[];
  /** By seq. */
  readonly hashes: readonly string[];
}

const AT = '2025-01-02T03:04:05.678Z';
const SEEN_NOTHING = '[]';

/** A chain of an imaginary gateway with this many entries. */
async function chainOf(
  id: string,
  entries: number,
  witness = SEEN_NOTHING,
  number = 1,
  fields: Partial<AuditRecord> = {},
): Promise<Chain> {
  const lines: Line[] = [];
  const hashes = [''];
  for (let seq = 1; seq <= entries; seq += 1) {
    const entry = {
      user_id: 7,
      username: `of ${id}`,
      action: 'login',
      detail: `${seq}`,
      ip_address: '',
      created_at: AT,
      ...fields,
    };
    hashes.push(await hashOfEntry({ ...entry, chain_id: id, seq }, hashes.at(-1) ?? ''));
    lines.push(['audit_entry', entry]);
  }
  const head = {
    id,
    number,
    instance_id: 'far away',
    started_at: AT,
    entries,
    last_hash: hashes.at(-1),
    witness,
  };
  return { lines: [['audit_chain', head], ...lines], hashes };
}

const restoreChains = async (actor: Actor, ...chains: readonly Chain[]) =>
  restored(actor, await forged([backupRows.admin(), ...chains.flatMap(({ lines }) => lines)]));

async function verdictOf(actor: Actor): Promise<AuditVerdict> {
  return (await actor.call<AuditVerdict>('GET', '/api/auth/audit/verify')).body;
}

const entriesOf = async (actor: Actor, id: string) =>
  (await actor.call<unknown[]>('GET', `/api/auth/audit?username=of%20${id}`)).body.length;

const witness = (id: string, seq: number, hash = '') => JSON.stringify([[id, seq, hash]]);

describeEachGateway('A restored audit log', (gateway) => {
  it('verifies, even for a gateway that starts afterwards', async () => {
    const { admin, config } = gateway();
    const first = await chainOf('first-chain-of-all', 3);
    const second = await chainOf(
      'second-chain-of-all',
      2,
      witness('first-chain-of-all', 3, first.hashes[3]),
      2,
    );
    const report = await restoreChains(admin, second, first);
    expect([report.created.audit, report.warnings]).toEqual([5, []]);
    expect(await verdictOf(admin)).toMatchObject({ ok: true });
    const later = await startGateway({ database_url: config.database_url, untouched: true });
    await later.close();
    expect(await verdictOf(admin)).toMatchObject({ ok: true });
    expect(await entriesOf(admin, 'first-chain-of-all')).toBe(3);
  });

  it('is restored once, and still verifies when a later bundle has more of it', async () => {
    const { admin } = gateway();
    const id = 'a-chain-that-grows';
    await restoreChains(admin, await chainOf(id, 2));
    const grown = await chainOf(id, 4);
    const later = await chainOf('a-chain-after-that', 1, witness(id, 4, grown.hashes[4]), 2);
    expect(await restoreChains(admin, grown, later)).toMatchObject({
      created: { audit: 1 },
      skipped: { audit: 4 },
    });
    expect(await verdictOf(admin)).toMatchObject({ ok: true });
    expect(await entriesOf(admin, id)).toBe(2);
  });

  it('is marked permanently as restored', async () => {
    const { admin, store } = gateway();
    const before = await verdictOf(admin);
    await restoreChains(admin, await chainOf('a-chain-of-elsewhere', 3));
    const verdict = await verdictOf(admin);
    expect(verdict).toMatchObject({ ok: true, restored: before.restored + 3 });
    expect(describeVerdict(verdict)).toMatch(/, \d+ of them restored from a backup$/);
    const { audit_chains } = store.tables;
    const here = eq(audit_chains.id, 'a-chain-of-elsewhere');
    const [head] = await store.db.select().from(audit_chains).where(here);
    expect(head?.instance_id).toBe('restored: far away');
    const { body } = await admin.call<AuditEntry[]>('GET', '/api/auth/audit?action=backup_restore');
    expect(body[0]?.detail).toBe('audit log restored: 3 entries of "restored: far away"');
  });

  it('leaves out a chain that was changed, and says so', async () => {
    const { admin } = gateway();
    const { lines, hashes } = await chainOf('a-chain-that-was-edited', 3);
    const cut = { lines: lines.slice(0, -1), hashes };
    const { created, warnings } = await restoreChains(admin, cut, await chainOf('a-chain-beside-it', 1));
    expect([created.audit, warnings]).toEqual([1, [expect.stringMatching(/does not match its own hashes/)]]);
    expect(await verdictOf(admin)).toMatchObject({ ok: true });
  });

  it('leaves out a chain with text that no database keeps, and takes every other transport', async () => {
    const { admin } = gateway();
    const chains = await Promise.all([
      chainOf('a-chain-with-a-zero', 2, SEEN_NOTHING, 1, { via: 'page\0' }),
      chainOf('a-chain-with-a-half', 2, SEEN_NOTHING, 2, { detail: '\ud800' }),
      chainOf('a-chain-of-formulas', 1, SEEN_NOTHING, 3, { via: '=1+1,"\n<b>' }),
      chainOf('a-chain-of-nothings', 1, SEEN_NOTHING, 4, { via: '' }),
    ]);
    const { created, warnings } = await restoreChains(admin, ...chains);
    const left_out = expect.stringMatching(/^Audit chain [12] does not match its own hashes/);
    expect([created.audit, warnings]).toEqual([2, [left_out, left_out]]);
    expect(await verdictOf(admin)).toMatchObject({ ok: true });
    const csv = await (await admin.fetch('/api/auth/audit/export?format=csv')).text();
    expect(csv).toContain(`,"'=1+1,""\n<b>"\r\n`);
  });

  it('leaves out a chain that contradicts a later one', async () => {
    const { admin } = gateway();
    const rewritten = await chainOf('a-chain-written-anew', 3);
    const witnessing = await chainOf(
      'a-chain-that-saw-it',
      1,
      witness('a-chain-written-anew', 2, 'other'),
      2,
    );
    const { created, warnings } = await restoreChains(admin, rewritten, witnessing);
    expect([created.audit, warnings]).toEqual([
      1,
      [expect.stringMatching(/does not match the checkpoints of later chains/)],
    ]);
    expect(await verdictOf(admin)).toMatchObject({ ok: true });
  });
});

describeEachGateway('An exported audit log', (gateway) => {
  it('leaves out what this gateway has not signed', async () => {
    const { admin, store } = gateway();
    const { audit_chains } = store.tables;
    await restoreChains(admin, await chainOf('a-chain-that-is-forged', 2));
    await store.db
      .update(audit_chains)
      .set({ signature: 'AAAA' })
      .where(eq(audit_chains.id, 'a-chain-that-is-forged'));
    const target = await startGateway();
    try {
      const { warnings } = await restored(target.admin, await exported(admin, true));
      expect(warnings.join('\n')).toMatch(/not whole[\s\S]*signature does not fit/);
      expect(await entriesOf(target.admin, 'a-chain-that-is-forged')).toBe(0);
      expect(await verdictOf(target.admin)).toMatchObject({ ok: true });
    } finally {
      await target.close();
    }
  });

  it('succeeds even when the clock of another instance is ahead', async () => {
    const { admin, store } = gateway();
    const { audit_entries } = store.tables;
    const created_at = new Date(Date.now() + 60_000).toISOString();
    await store.db.update(audit_entries).set({ created_at }).where(eq(audit_entries.action, 'gateway_start'));
    const bundle = await exported(admin, true);
    expect(bundle.created_at).toBe(created_at);
    expect((await restoring(admin, bundle)).status).toBe(200);
  });
});
