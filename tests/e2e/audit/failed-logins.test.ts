import { expect, it } from 'vitest';
import type { AuditRow } from '#core/model/audit/audit.ts';
import { auditRows } from '../../support/features/audit.ts';
import { enrol } from '../../support/features/totp.ts';
import { describeEachGateway, logIn, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { entries, idOf } from './scene.ts';

describeEachGateway('A failed login', (gateway) => {
  async function failedBy(username: string, password: string, totp_code?: string): Promise<AuditRow> {
    const before = await auditRows(gateway().store);
    await logIn(gateway().anonymous, username, password, totp_code);
    const after = await auditRows(gateway().store);
    const [row, ...more] = after.slice(before.length);
    if (!row || more.length > 0) throw new Error(`${after.length - before.length} entries`);
    return row;
  }

  it('of an unknown name is recorded without a user', async () => {
    const row = await failedBy('Nobody-Here', 'x');
    expect(row).toMatchObject({
      user_id: null,
      username: 'Nobody-Here',
      detail: 'unknown name',
      via: 'page',
    });
  });

  it('is recorded with 64 printable characters of the typed name', async () => {
    const row = await failedBy(`\u0000bad\r\n\u001b[31m${'x'.repeat(200)}`, 'x');
    expect(row.username).toBe(`bad[31m${'x'.repeat(57)}`);
  });

  it('is recorded with the address that the proxy saw, whatever the client claims', async () => {
    await gateway().anonymous.fetch('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7, 203.0.113.8' },
      body: JSON.stringify({ username: 'spoofer', password: 'wrong' }),
    });
    expect(await entries(gateway(), { username: 'spoofer' })).toMatchObject([{ ip_address: '203.0.113.8' }]);
  });

  it('of a disabled account says so', async () => {
    const id = await idOf(await gateway().user({ username: 'resting' }));
    await gateway().admin.call('PATCH', `/api/auth/users/${id}`, { disabled: true });
    expect(await failedBy('resting', USER_PASSWORD)).toMatchObject({
      user_id: id,
      detail: 'the account is disabled',
    });
  });

  it('by a wrong code says so', async () => {
    await enrol(await gateway().user({ username: 'two-steps' }));
    expect(await failedBy('two-steps', USER_PASSWORD, '000000')).toMatchObject({
      username: 'two-steps',
      detail: 'wrong 2FA code',
    });
  });

  it('of a locked account says so', async () => {
    await gateway().user({ username: 'locked' });
    for (let count = 0; count < 10; count += 1) await logIn(gateway().anonymous, 'locked', 'wrong');
    expect(await failedBy('locked', USER_PASSWORD)).toMatchObject({ detail: 'the account is locked' });
  });
});
