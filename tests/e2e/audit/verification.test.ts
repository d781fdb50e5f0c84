import { beforeAll, expect, it } from 'vitest';
import { watchVerification } from '#client/audit-verification.ts';
import { createClient } from '#client/client.ts';
import type { AuditVerdict } from '#core/model/audit/audit.ts';
import type { AuditVerificationStatus } from '#core/model/audit/verification.ts';
import { auditInstance, auditRecord } from '../../support/features/audit.ts';
import { describeEachGateway, type TestGateway } from '../../support/gateway/gateway.ts';

describeEachGateway('A verification of the audit log', (gateway) => {
  const verdict = async ({ admin }: TestGateway, from: string) =>
    (await admin.call<AuditVerdict>('GET', `/api/auth/audit/verify?from=${from}`)).body;
  const status = async ({ admin }: TestGateway) =>
    (await admin.call<AuditVerificationStatus>('GET', '/api/auth/audit/verified')).body;

  beforeAll(async () => {
    const instance = await auditInstance(gateway().store);
    await Promise.all(Array.from({ length: 4_500 }, () => instance.append(auditRecord())));
  });

  it('reports its progress and its result as events', async () => {
    const checked: number[] = [];
    const results: AuditVerdict[] = [];
    const { url, admin } = gateway();
    const client = createClient({ base_url: url, credentials: admin.token });
    for await (const event of watchVerification(client, 'start')) {
      if (event.type === 'progress') checked.push(event.checked);
      else results.push(event.result);
    }
    expect(results).toMatchObject([{ ok: true, verified_before: null }]);
    expect(checked.length).toBeGreaterThan(2);
    expect(checked).toEqual([...checked].sort((a, b) => a - b));
    expect(await status(gateway())).toMatchObject({ verified: { is_complete: true } });
  });

  it('is kept by the gateway, which continues it with the entries that are new', async () => {
    const whole = await verdict(gateway(), 'start');
    const { verified, total } = await status(gateway());
    expect([verified?.entries, total]).toEqual([whole.entries, whole.entries]);
    await (await gateway().admin.fetch('/api/auth/audit/export')).text();
    const { entries: before, began_at: since } = verified ?? {};
    expect(await verdict(gateway(), 'checkpoint')).toMatchObject({
      ...{ ok: true, entries: 1 },
      verified_before: { entries: before, began_at: since },
    });
  });

  it('refuses another place to begin', async () => {
    const { status: code } = await gateway().admin.call('GET', '/api/auth/audit/verify?from=7');
    expect(code).toBe(422);
  });
});
