import { expect, it } from 'vitest';
import { createAudit } from '#core/audit/audit.ts';
import { limitsDetail } from '#core/audit/retention/limits.ts';
import { createAuditTrail } from '#core/audit/trail.ts';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import { describeEachStore } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { DAYS, MOST, NEW, NOW, OFF, OLD, setUp } from '../../support/features/audit-retention.ts';

const ADMIN = {
  ...{ is_admin: true, scopes: ['admin'] },
  credential: { kind: 'session', id: 'of the administrator' },
} as unknown as Caller; // all that is read

describeEachStore('audit retention', (fresh) => {
  it('removes an entry dated in the future with the next one, and keeps it when there is none', async () => {
    const { audit, run, verdict, store } = await setUp(fresh);
    const third = await auditInstance(store);
    for (const [detail, created_at] of [
      ['wrong clock', '2099-01-01T00:00:00.000Z'],
      ['old', OLD],
      ['wrong again', '2099-01-01T00:00:00.000Z'],
    ] as const)
      await third.append(auditRecord({ created_at, detail }));
    await run();
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: { removed: 302, until: OLD } });
    expect(await audit.page({ search: 'wrong' }, { limit: 9, offset: 0 })).toMatchObject([
      { detail: 'wrong again' },
    ]);
  });

  it('counts an entry dated in the future like the next one', async () => {
    const { run, verdict, store } = await setUp(fresh, { values: { ...MOST, audit_max_entries: 12 } });
    const third = await auditInstance(store);
    for (const created_at of ['2099-01-01T00:00:00.000Z', OLD, OLD, OLD])
      await third.append(auditRecord({ created_at }));
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 313, checkpoint: null });
  });

  it('removes no entry before those in front of it, though its clock was set back', async () => {
    const { run, verdict, store } = await setUp(fresh);
    const third = await auditInstance(store);
    for (const created_at of [NEW, '1970-01-02T00:00:00.000Z'])
      await third.append(auditRecord({ created_at }));
    await run();
    expect(await verdict()).toMatchObject({ ok: true, entries: 12, checkpoint: { removed: 300 } });
  });

  it.each([
    ['of the environment', {}],
    ['of an administrator', DAYS],
  ])('does not apply a limit %s that was recorded in the future', async (_what, stored) => {
    const { audit, settings, run, verdict, store } = await setUp(fresh, { recorded: OFF });
    const third = await auditInstance(store);
    const created_at = '2099-01-01T00:00:00.000Z';
    await third.append(auditRecord({ created_at, detail: limitsDetail(DAYS) ?? '', action: 'audit_limits' }));
    settings.stored = stored;
    for (let i = 0; i < 3; i += 1) await run();
    expect(await verdict()).toMatchObject({ ok: true, checkpoint: null });
    const recorded = await audit.page({ action: 'audit_limits' }, { limit: 10, offset: 0 });
    expect(recorded).toHaveLength(stored === DAYS ? 2 : 3); // once more
  });

  it.each([
    [{ audit_retention_days: 30, audit_max_entries: 0 }, 300],
    [{ audit_retention_days: 0, audit_max_entries: 9 }, 300],
    [{ audit_retention_days: 0, audit_max_entries: 10 }, 0],
    [{ audit_retention_days: 0, audit_max_entries: 310 }, 0],
    [OFF, 0],
  ])('says in advance what %o would remove', async (limits, entries) => {
    const { audit, live, seal } = await setUp(fresh);
    const clock = { now: () => new Date(NOW) };
    const trail = createAuditTrail({ chain: live, clock });
    const verifyNow = () => verifyAudit({ audit, seal }, undefined);
    const not_asked = () => Promise.reject(new Error('not asked'));
    const callers = { fromBearer: not_asked, fromCredential: not_asked };
    const excess = createAudit({ repositories: { audit }, callers, seal, verifyNow, trail, clock }).excess;
    const newest = entries > 0 ? OLD : null;
    expect(await excess(ADMIN, limits)).toMatchObject({ entries, newest });
  });
});
