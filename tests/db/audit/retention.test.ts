import { expect, it } from 'vitest';
import { limitsDetail } from '#core/audit/retention/limits.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { type AuditLine, auditLines } from '#core/backup/pack/audit.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createVault } from '#core/crypto/vault.ts';
import { createResealing } from '#core/operations/resealing.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import {
  type Change,
  DAYS,
  instanceOn,
  MOST,
  NOW,
  OFF,
  OLD,
  setUp,
} from '../../support/features/audit-retention.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

describeEachStore('audit retention', (fresh) => {
  it('removes what is too old, records it once, and leaves a log that can be verified', async () => {
    const { audit, run, verdict } = await setUp(fresh);
    await run();
    await run();
    const checkpoint = { removed: 300, until: OLD, removed_at: NOW };
    expect(await verdict()).toEqual({
      ...{ ok: true, entries: 10, verified_before: null, restored: 0, checkpoint },
      ...{ first_bad_id: null, reason: null },
    });
    const recorded = await audit.page({ action: 'audit_trimmed' }, { limit: 10, offset: 0 });
    expect(recorded.map(({ detail }) => detail)).toEqual([`until ${OLD}, in all: 300`]);
  });

  it('removes the oldest entries above the limit, in whole hours', async () => {
    const { run, verdict } = await setUp(fresh, { values: { ...MOST, audit_max_entries: 9 } });
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 10, checkpoint: { removed: 300 } });
  });

  it('keeps a whole hour when a part of it is under the limit', async () => {
    const { run, verdict } = await setUp(fresh, { values: MOST });
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 309, checkpoint: null });
  });

  it('removes nothing by default', async () => {
    const { run, verdict } = await setUp(fresh, { values: OFF });
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 309, checkpoint: null });
  });

  it('removes no entry of the last 24 hours, whatever the limit', async () => {
    const { chain, audit, run, verdict, store } = await setUp(fresh, {
      values: { ...MOST, audit_max_entries: 1 },
    });
    const third = await auditInstance(store);
    for (const hour of ['01', '02'])
      await third.append(auditRecord({ created_at: `2026-02-28T${hour}:00:00.000Z` }));
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 3, checkpoint: { removed: 309 } });
    expect((await audit.chain(chain.id))?.entries).toBe(306);
  });

  it('removes the entries from the search, too', async () => {
    const { audit, run } = await setUp(fresh);
    await run();
    expect(await audit.count({ search: 'somebody' })).toMatchObject({ total: 9 });
    expect(await audit.page({ search: 'somebody' }, { limit: 20, offset: 0 })).toHaveLength(9);
  });

  it('applies a limit only a day after the log recorded it, and goes on when that entry is gone', async () => {
    const { chain, audit, settings, run, later, verdict, store } = await setUp(fresh, { recorded: OFF });
    const fourth = await auditInstance(store);
    await fourth.append(
      auditRecord({ created_at: NOW, detail: limitsDetail(DAYS) ?? '', action: 'audit_limits' }),
    );
    await run();
    later(0.99);
    await run();
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: null });
    later(0.01);
    await run();
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 300 } });
    later(60);
    await run();
    expect(await audit.page({ action: 'audit_limits' }, { limit: 1, offset: 0 })).toEqual([]);
    const before = (await verdict()).checkpoint?.removed ?? 0;
    await fourth.append(auditRecord({ created_at: OLD }));
    later(60);
    await run();
    expect((await verdict()).checkpoint?.removed).toBeGreaterThan(before);
    expect((await verdict()).ok).toBe(true);
    expect([settings.values, (await audit.chain(chain.id))?.entries]).toEqual([DAYS, 306]);
  });

  it('records limits of the environment itself, once, and waits a day, too', async () => {
    const { audit, settings, run, later, verdict } = await setUp(fresh, { recorded: OFF });
    settings.stored = {};
    await run();
    await run();
    const recorded = await audit.page({ action: 'audit_limits' }, { limit: 10, offset: 0 });
    expect(recorded.map(({ detail }) => detail)).toEqual(['audit_retention_days: 30', limitsDetail(OFF)]);
    expect((await verdict()).checkpoint).toBeNull();
    later(1);
    await run();
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 300 } });
  });

  it.each([
    ['set', OFF, DAYS],
    ['changed', DAYS, { ...DAYS, audit_retention_days: 7 }],
    ['replaced by an earlier one', DAYS, { ...DAYS, audit_max_entries: 1 }],
  ])('ignores a limit that was %s in the database only', async (_what, recorded, values) => {
    const earlier = { audit_retention_days: 0, audit_max_entries: 1 };
    const { run, later, verdict, store } = await setUp(fresh, { recorded: earlier, values });
    const third = await auditInstance(store);
    const detail = limitsDetail(recorded) ?? '';
    await third.append(
      auditRecord({ created_at: '2026-02-27T01:00:00.000Z', detail, action: 'audit_limits' }),
    );
    if (values.audit_retention_days !== recorded.audit_retention_days) {
      await run();
      later(3);
      await run();
      expect(await verdict()).toMatchObject({ ok: true, checkpoint: null });
    } else {
      await run();
      expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 300 } }); // by days only
    }
  });

  it('does not fill an idle log with records of removals, nor removes other entries for them', async () => {
    const values = { ...MOST, audit_max_entries: 9 };
    const { store, run, later, verdict, actions } = await setUp(fresh, { values });
    const third = await auditInstance(store);
    for (let hour = 1; hour <= 9; hour += 1) {
      await third.append(auditRecord({ created_at: `2026-02-27T0${hour}:00:00.000Z` }));
    }
    for (let day = 0; day < 10; day += 1) {
      later(1);
      await run();
    }
    expect((await actions()).sort()).toEqual([
      ...['audit_trimmed', ...Array.from({ length: 9 }, () => 'login_failed')],
    ]);
    expect(await verdict()).toMatchObject({ ok: true, entries: 10, checkpoint: { removed: 309 } });
  });

  it('stops its verification with the gateway', async () => {
    const stop = new AbortController();
    let scans = 0;
    const change: Change = ({ scan }) => ({
      scan: (...of) => {
        scans += 1;
        stop.abort();
        return scan(...of);
      },
    });
    const { run, verdict, errors } = await setUp(fresh, { change });
    await run(stop.signal);
    expect([scans, errors]).toEqual([1, []]);
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: null });
  });

  it('stops its removal with the gateway, records it, and goes on later', async () => {
    const stop = new AbortController();
    const change: Change = ({ removeUpTo }) => ({
      removeUpTo: (...of) => {
        stop.abort();
        return removeUpTo(...of);
      },
    });
    const { run, verdict, audit } = await setUp(fresh, { change });
    await run(stop.signal);
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 20 } });
    await run();
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 300 } });
    const recorded = await audit.page({ action: 'audit_trimmed' }, { limit: 10, offset: 0 });
    expect(recorded.map(({ detail }) => detail)).toEqual([300, 20].map((n) => `until ${OLD}, in all: ${n}`));
  });

  it('records a removal that was interrupted before its record, even if the limits are off by then', async () => {
    const { store, chain, run, verdict } = await setUp(fresh);
    const killed = await instanceOn(store, DAYS);
    killed.chain.append = () => Promise.reject(new Error('killed'));
    await expect(killed.run()).rejects.toThrow('killed');
    expect((await verdict()).checkpoint?.removed).toBe(300);
    const next = await instanceOn(store, OFF);
    await next.run();
    await next.run();
    await run();
    const recorded = await next.audit.page({ action: 'audit_trimmed' }, { limit: 10, offset: 0 });
    expect(recorded.map(({ detail }) => detail)).toEqual([`until ${OLD}, in all: 300`]);
    expect(await next.audit.scan(chain.id, 0, 1)).toMatchObject([{ seq: 301 }]);
  });

  it('is done by one of two instances that start at the same time', async () => {
    const { store, run, verdict } = await setUp(fresh);
    const other = await instanceOn(store, DAYS);
    await Promise.all([run(), other.run()]);
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 300 } });
    await Promise.all([run(), other.run()]);
    const totals = await other.audit.page({ action: 'audit_trimmed' }, { limit: 10, offset: 0 });
    expect(totals.at(0)?.detail).toBe(`until ${OLD}, in all: 300`);
  });

  it('stores a checkpoint only behind the one that it continues', async () => {
    const { audit, seal, run, chain } = await setUp(fresh);
    await run();
    const trim = await audit.trim();
    if (!trim) throw new Error('Nothing was removed');
    const cut = { chain_id: chain.id, seq: 306, hash: chain.last_hash };
    for (const number of [trim.number - 1, trim.number, trim.number + 2]) {
      expect(await audit.removeUpTo(await seal.signTrim({ ...trim, number }), cut)).toBe(false);
    }
    expect(await audit.trim()).toEqual(trim);
    expect(await audit.scan(chain.id, 300, 10)).toHaveLength(6);
  });

  it('leaves a checkpoint that is signed again after a change of the secret key', async () => {
    const { store, audit, run } = await setUp(fresh);
    await run();
    const other_key = `${SECRET_KEY} and another`;
    const [old_keys, new_keys] = [await createKeyring(SECRET_KEY), await createKeyring(other_key)];
    const seal = createAuditSeal(new_keys);
    expect(await verifyAudit({ audit, seal }, undefined)).toMatchObject({ ok: false });
    const chain = await auditInstance(store, other_key);
    await createResealing({
      repositories: createRepositories(store),
      vault: createVault(new_keys, old_keys),
      seal: createAuditSeal(new_keys, old_keys),
      trail: createAuditTrail({ chain, clock: { now: () => new Date(NOW) } }),
      log: silent,
    }).run(new AbortController().signal);
    expect(await verifyAudit({ audit, seal }, undefined)).toMatchObject({
      ok: true,
      checkpoint: { removed: 300 },
    });
  });

  it('leaves chains without their beginning out of a backup, with a warning', async () => {
    const { audit, seal, chain, run } = await setUp(fresh);
    await run();
    const lines: AuditLine[] = [];
    for await (const line of auditLines({ audit, seal }, await audit.chains())) lines.push(line);
    const of = (kind: string) => lines.filter(([one]) => one === kind).map(([, value]) => value);
    expect(of('warning')).toEqual([
      'Audit chain 1: retention removed its beginning, so it is not in the bundle',
    ]);
    expect(of('audit_chain')).not.toContainEqual(expect.objectContaining({ id: chain.id }));
    expect(of('audit_entry')).toHaveLength(4);
  });
});
