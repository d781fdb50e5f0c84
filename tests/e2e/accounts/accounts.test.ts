import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  ADMIN_PASSWORD,
  describeEachGateway,
  FIRST_PASSWORD,
  logIn,
  startGateway,
} from '../../support/gateway/gateway.ts';

describeEachGateway('Accounts', (gateway) => {
  it('answers a login with a bearer token whose claims are sub, jti, iat, exp and typ', async () => {
    const { status, body } = await logIn(gateway().anonymous, 'admin', ADMIN_PASSWORD);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'bearer', requires_2fa: false });
    const claims = decodeJwt(body.access_token);
    expect(Object.keys(claims).sort()).toEqual(['exp', 'iat', 'jti', 'sub', 'typ']);
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(24 * 60 * 60);
  });

  it('finds a username ignoring case', async () => {
    expect((await logIn(gateway().anonymous, 'ADMIN', ADMIN_PASSWORD)).status).toBe(200);
  });

  it.each([
    ['a wrong password', 'admin', 'not-the-password'],
    ['an unknown name', 'nobody', 'not-the-password'],
    ['an empty password', 'admin', ''],
    ['a name with a NUL', 'ad\u0000min', 'x'],
  ])('refuses %s with 401 Invalid credentials', async (_what, username, password) => {
    const { status, body } = await logIn(gateway().anonymous, username, password);
    expect(status).toBe(401);
    expect(body).toEqual({ detail: 'Invalid credentials', code: 'invalid_credentials' });
  });

  it('tells the caller who they are', async () => {
    const { status, body } = await gateway().admin.call('GET', '/api/auth/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      username: 'admin',
      is_admin: true,
      must_change_password: false,
      allowed_groups: [],
    });
    expect(JSON.stringify(body)).not.toContain('argon2');
  });

  it('ends the session on logout', async () => {
    const user = await gateway().user({ username: 'leaver' });
    expect((await user.call('POST', '/api/auth/logout')).status).toBe(204);
    const { status, body } = await user.call('GET', '/api/auth/me');
    expect(status).toBe(401);
    expect(body).toEqual({ detail: 'Invalid token', code: 'invalid_token' });
  });

  it('revokes the other sessions of the caller when the password changes', async () => {
    const here = await gateway().user({ username: 'changer' });
    const { body } = await logIn(gateway().anonymous, 'changer', 'user-password-3');
    const there = gateway().actor(body.access_token);
    const changed = await here.call('POST', '/api/auth/change-password', {
      new_password: 'another-password-4',
      current_password: 'user-password-3',
    });
    expect(changed.status).toBe(200);
    expect((await there.call('GET', '/api/auth/me')).status).toBe(401);
    expect((await here.call('GET', '/api/auth/me')).status).toBe(200);
  });

  it('checks current_password when it is sent', async () => {
    const user = await gateway().user({ username: 'forgetful' });
    const { status, body } = await user.call('POST', '/api/auth/change-password', {
      new_password: 'another-password-4',
      current_password: 'wrong',
    });
    expect(status).toBe(400);
    expect(body['code']).toBe('wrong_password');
  });

  it.each([
    ['shorter than 8 characters', 'picky-1', 'seven77'],
    ['longer than 256 characters', 'picky-2', 'x'.repeat(257)],
    ['equal to the username', 'picky-user', 'Picky-User'],
    ['among the most common', 'picky-3', 'password123'],
  ])('refuses a new password %s with 422', async (_what, username, new_password) => {
    const user = await gateway().user({ username });
    const { status, body } = await user.call('POST', '/api/auth/change-password', { new_password });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'validation', errors: [{ path: 'new_password' }] });
  });

  it('keeps only argon2id hashes of passwords', async () => {
    const rows = await gateway().store.db.select().from(gateway().store.tables.users);
    for (const row of rows) expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$/);
  });
});

describeEachGateway(
  'The default administrator',
  (gateway) => {
    it('allow only me and change-password until the password is changed', async () => {
      const admin = await gateway().signIn('admin', FIRST_PASSWORD);
      expect((await admin.call('GET', '/api/auth/me')).body['must_change_password']).toBe(true);
      const refused = await admin.call('GET', '/api/servers');
      expect(refused.status).toBe(403);
      expect(refused.body).toEqual({ detail: 'Password change required', code: 'password_change_required' });
      const same = await admin.call('POST', '/api/auth/change-password', { new_password: FIRST_PASSWORD });
      expect(same.status).toBe(422);
      const changed = await admin.call('POST', '/api/auth/change-password', { new_password: ADMIN_PASSWORD });
      expect(changed.body['must_change_password']).toBe(false);
      expect((await admin.call('GET', '/api/servers')).status).toBe(200);
    });
  },
  { untouched: true },
);

describeEachGateway('Rate limits', (gateway) => {
  it('let one IPv6 /48 have ten times the rate of a /64, however many networks it uses', async () => {
    const statusFrom = async (address: string) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
      const path = '/api/auth/login';
      return (await gateway().anonymous.fetch(path, { method: 'POST', headers, body: '{}' })).status;
    };
    const networks = Array.from({ length: 100 }, (_, index) => `2001:db8:1:${index.toString(16)}::1`);
    const statuses = await Promise.all(networks.map(statusFrom));
    expect(new Set(statuses)).toEqual(new Set([422]));
    expect(await statusFrom('2001:db8:1:ffff::1')).toBe(429);
    expect(await statusFrom('2001:db8:2::1')).toBe(422);
  });

  it('refuses the 11th login of a minute from one address, with Retry-After', async () => {
    const attempt = () =>
      gateway().anonymous.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' },
        body: JSON.stringify({ username: 'admin', password: 'wrong' }),
      });
    const statuses = [];
    for (let count = 0; count < 10; count += 1) statuses.push((await attempt()).status);
    expect(statuses).toEqual(Array(10).fill(401));
    const refused = await attempt();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
  });

  it('ignores X-Forwarded-For beyond the rightmost untrusted hop', async () => {
    const attempt = (spoofed: string) =>
      gateway().anonymous.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `${spoofed}, 192.0.2.2` },
        body: JSON.stringify({ username: 'admin', password: 'wrong' }),
      });
    for (let count = 0; count < 10; count += 1) await attempt(`198.51.100.${count}`);
    expect((await attempt('198.51.100.99')).status).toBe(429);
  });

  it('counts one address in every notation, and ignores invalid ones', async () => {
    const attempt = async (from: string) => {
      const response = await gateway().anonymous.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: JSON.stringify({ username: `via ${from}`, password: 'wrong' }),
      });
      return response.status;
    };
    const spellings = [
      '192.0.2.77',
      '192.0.2.77:4711',
      '::ffff:192.0.2.77',
      '[::ffff:192.0.2.77]:99',
      '::ffff:c000:24d',
    ];
    for (let round = 0; round < 2; round += 1)
      for (const from of spellings) expect(await attempt(from)).toBe(401);
    for (const from of spellings) expect(await attempt(`<script>, ${from}`)).toBe(429);
  });

  it('refuses the 6th password change of a minute by one user', async () => {
    const user = await gateway().user({ username: 'restless' });
    const attempt = () => user.call('POST', '/api/auth/change-password', { new_password: 'short' });
    for (let count = 0; count < 5; count += 1) expect((await attempt()).status).toBe(422);
    expect((await attempt()).status).toBe(429);
  });
});

describe('The first boot', () => {
  it('refuses an administrator password that breaks the rules', async () => {
    await expect(startGateway({ env: { SERVICE_ADMIN_PASSWORD: 'short' } })).rejects.toThrow(
      /SERVICE_ADMIN_PASSWORD/,
    );
  });
});
