import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKey, CreatedApiKey } from '#core/model/accounts/api-key.ts';
import { createKey, INSTANT, openShell, userOf } from '../../support/features/accounts.ts';
import { type Actor, describeEachGateway, USER_PASSWORD } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const KEYS = '/api/auth/api-keys';
const PAST = '2020-01-01T00:00:00.000Z';
const FUTURE = '2100-01-01T00:00:00.000Z';
const INVALID_KEY = { status: 401, body: { detail: 'Invalid API key', code: 'invalid_api_key' } };
const NOT_FOUND = { status: 404, body: { detail: 'API key not found', code: 'api_key_not_found' } };
const DUE = {
  status: 403,
  body: { detail: 'Password change required', code: 'password_change_required' },
};

describeEachGateway('API keys', (gateway) => {
  const ask = async (actor: Actor, method: string, path: string, input?: object) => {
    const { status, body } = await actor.call(method, path, input);
    return { status, body };
  };
  const list = async (owner: Actor) => (await owner.call<ApiKey[]>('GET', KEYS)).body;
  const use = (key: string) => ask(gateway().actor(key), 'GET', '/api/servers');
  const patchUser = async (user: Actor, fields: object) =>
    gateway().admin.call('PATCH', `/api/auth/users/${(await userOf(user)).id}`, fields);

  async function setKey(id: number, fields: { expires_at?: string; last_used_at?: string }): Promise<void> {
    const { db, tables } = gateway().store;
    await db.update(tables.api_keys).set(fields).where(eq(tables.api_keys.id, id));
  }

  it('are created with 201 and shown in full only once', async () => {
    const owner = await gateway().user({ username: 'creator' });
    const { status, body } = await owner.call<CreatedApiKey>('POST', KEYS, {
      name: 'nightly',
      expires_at: FUTURE,
      scopes: ['files'],
    });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(Number),
        name: 'nightly',
        key: expect.stringMatching(/^sp_[A-Za-z0-9_-]{43}$/),
        key_prefix: body.key.slice(0, body.key_prefix.length),
        scopes: ['files'],
        expires_at: FUTURE,
      },
    });
    expect(JSON.stringify(await list(owner))).not.toContain(body.key);
  });

  it('are listed with creation and last use, newest first', async () => {
    const owner = await gateway().user({ username: 'lister' });
    const [first, second] = [
      await createKey(owner, { name: 'one' }),
      await createKey(owner, { name: 'two' }),
    ];
    const common = { scopes: ['read', 'files', 'terminal', 'admin'], expires_at: null, last_used_at: null };
    const shown = ({ id, name, key_prefix }: CreatedApiKey) => ({
      ...common,
      ...{ id, name, key_prefix },
      created_at: expect.stringMatching(INSTANT),
    });
    expect(await list(owner)).toEqual([shown(second), shown(first)]);
  });

  it('leave only hash and prefix in the database', async () => {
    const { id, key, key_prefix } = await createKey(await gateway().user({ username: 'stored' }));
    const { db, tables } = gateway().store;
    const [row] = await db.select().from(tables.api_keys).where(eq(tables.api_keys.id, id));
    expect(row).toMatchObject({
      key_prefix,
      key_digest: createHash('sha256').update(key).digest('base64url'),
    });
    expect(key_prefix.length).toBeLessThanOrEqual('sp_'.length + 8);
    expect(JSON.stringify(row)).not.toContain(key.slice(key_prefix.length));
  });

  it('have all scopes by default, whoever owns them', async () => {
    const scopes = ['read', 'files', 'terminal', 'admin'];
    expect((await createKey(await gateway().user({ username: 'user' }))).scopes).toEqual(scopes);
    const admin = await gateway().user({ username: 'boss', is_admin: true });
    expect((await createKey(admin)).scopes).toEqual(scopes);
  });

  it('with the scope admin of a non-admin administer nothing', async () => {
    const owner = await gateway().user({ username: 'climber' });
    const { key, scopes } = await createKey(owner, { scopes: ['admin', 'read'] });
    expect(scopes).toEqual(['read', 'admin']);
    expect(await ask(gateway().actor(key), 'GET', '/api/auth/users')).toEqual({
      status: 403,
      body: { detail: 'Admin only', code: 'admin_only' },
    });
  });

  it.each([
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['read', 'write'] }],
    ['an empty name', { name: '' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name with a control character', { name: 'a\u0007b' }],
    ['an end in the past', { expires_at: PAST }],
    ['an end that is no instant', { expires_at: 'tomorrow' }],
    ['an unknown field', { user_id: 1 }],
  ])('are refused with 422 with %s', async (_what, fields) => {
    const { status, body } = await gateway().admin.call('POST', KEYS, { name: 'refused', ...fields });
    expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'validation' });
  });

  it('are limited to 100 per user', async () => {
    const owner = await gateway().user({ username: 'collector' });
    for (let count = 0; count < 98; count += 1) await createKey(owner);
    const more = await Promise.all(
      Array.from({ length: 5 }, () => ask(owner, 'POST', KEYS, { name: 'more' })),
    );
    expect(more.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(more.find(({ status }) => status !== 201)).toEqual({
      status: 409,
      body: { detail: 'A user can have at most 100 API keys', code: 'too_many_keys' },
    });
    const all = await list(owner);
    await owner.call('DELETE', `${KEYS}/${all[0]?.id}`);
    expect([all.length, (await createKey(owner)).id]).toEqual([100, expect.any(Number)]);
  });

  it('are refused with 401 once revoked', async () => {
    const owner = await gateway().user({ username: 'revoker' });
    const { id, key } = await createKey(owner);
    expect((await use(key)).status).toBe(200);
    expect(await ask(owner, 'DELETE', `${KEYS}/${id}`)).toEqual({ status: 204, body: '' });
    expect(await use(key)).toEqual(INVALID_KEY);
    expect(await ask(owner, 'DELETE', `${KEYS}/${id}`)).toEqual(NOT_FOUND);
  });

  it('are refused with 401 once expired, and still listed', async () => {
    const owner = await gateway().user({ username: 'outlived' });
    const { id, key } = await createKey(owner, { expires_at: FUTURE });
    await setKey(id, { expires_at: PAST });
    expect(await use(key)).toEqual(INVALID_KEY);
    expect(await list(owner)).toMatchObject([{ id, expires_at: PAST }]);
  });

  it.each([
    ['another character', (key: string) => key.slice(0, -2) + (key.at(-2) === 'A' ? 'B' : 'A') + key.at(-1)],
    ['one character less', (key: string) => key.slice(0, -1)],
    ['one character more', (key: string) => `${key}A`],
    ['the prefix alone', (key: string) => key.slice(0, 11)],
  ])('with %s are refused with 401', async (what, altered) => {
    const { key } = await createKey(await gateway().user({ username: `altered: ${what}` }));
    expect(await use(altered(key))).toEqual(INVALID_KEY);
  });

  it('of another user are neither listed nor revocable: 404', async () => {
    const { id, key } = await createKey(await gateway().user({ username: 'victim' }));
    const other = await gateway().user({ username: 'meddler' });
    expect(await list(other)).toEqual([]);
    for (const actor of [other, gateway().admin]) {
      expect(await ask(actor, 'DELETE', `${KEYS}/${id}`)).toEqual(NOT_FOUND);
    }
    expect((await use(key)).status).toBe(200);
  });

  it('show their last use, updated at most once a minute', async () => {
    const owner = await gateway().user({ username: 'punctual' });
    const { id, key } = await createKey(owner);
    const lastUsed = async () => (await list(owner))[0]?.last_used_at;
    const seconds_ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    await use(key);
    await expect.poll(lastUsed).toMatch(INSTANT);
    const recent = seconds_ago(50);
    await setKey(id, { last_used_at: recent });
    await use(key);
    expect(await lastUsed()).toBe(recent);
    const stale = seconds_ago(61);
    await setKey(id, { last_used_at: stale });
    await use(key);
    await expect.poll(lastUsed).not.toBe(stale);
  });

  it('cannot change the credentials of their owner, even with the scope admin', async () => {
    const owner = await gateway().user({ username: 'held-owner', is_admin: true });
    const { id } = await userOf(owner);
    const key = gateway().actor((await createKey(owner)).key);
    const refused = [
      await key.call('PUT', `/api/auth/users/${id}/password`, { password: 'tulip-tulip-9' }),
      await key.call('GET', `/api/auth/users/${id}/sessions`),
      await key.call('DELETE', `/api/auth/users/${id}/sessions`),
      await key.call('DELETE', `/api/auth/users/${id}/lock`),
      await key.call('PUT', `/api/auth/users/${id}/totp-reset`),
    ];
    for (const { status, body } of refused) expect([status, body['code']]).toEqual([403, 'session_required']);
  });

  describe('never have more rights than their owner', () => {
    it('who is no longer an administrator: 403 Admin only', async () => {
      const owner = await gateway().user({ username: 'demoted', is_admin: true });
      const key = gateway().actor((await createKey(owner)).key);
      expect((await key.call('GET', '/api/auth/users')).status).toBe(200);
      await patchUser(owner, { is_admin: false });
      expect(await ask(key, 'GET', '/api/auth/users')).toEqual({
        status: 403,
        body: { detail: 'Admin only', code: 'admin_only' },
      });
    });

    it('who lost a group: 404', async () => {
      const { id: server_id } = await gateway().addServer({ name: 'grouped', group: 'keys', port: 1 });
      const owner = await gateway().user({ username: 'regrouped', allowed_groups: ['keys'] });
      const { key } = await createKey(owner);
      expect((await use(key)).body).toHaveLength(1);
      const groups = `/api/auth/users/${(await userOf(owner)).id}/groups`;
      await gateway().admin.call('PUT', groups, { allowed_groups: [] });
      expect((await use(key)).body).toEqual([]);
      const { body } = await gateway().actor(key).call('GET', `/api/servers/${server_id}`);
      expect(body['code']).toBe('server_not_found');
    });

    it('administer once the owner becomes an administrator, with the scope admin', async () => {
      const owner = await gateway().user({ username: 'promoted' });
      const key = gateway().actor((await createKey(owner)).key);
      const reader = gateway().actor((await createKey(owner, { scopes: ['read'] })).key);
      expect((await key.call('GET', '/api/auth/users')).body['code']).toBe('admin_only');
      await patchUser(owner, { is_admin: true });
      expect((await key.call('GET', '/api/auth/users')).status).toBe(200);
      expect((await reader.call('GET', '/api/auth/users')).body['code']).toBe('scope_missing');
    });

    it('read the lists of terminals with the scope read', async () => {
      const owner = await gateway().user({ username: 'lists terminals' });
      const reader = gateway().actor((await createKey(owner, { scopes: ['read'] })).key);
      for (const path of ['/api/terminal/sessions', '/api/terminal/host-keys']) {
        expect((await reader.call('GET', path)).status).toBe(200);
      }
    });
  });

  it('can be neither created nor used while the owner must change the password', async () => {
    const owner = await gateway().user({ username: 'overdue' });
    const { key } = await createKey(owner);
    await patchUser(owner, { must_change_password: true });
    const again = await gateway().signIn('overdue', USER_PASSWORD);
    expect(await ask(again, 'POST', KEYS, { name: 'too early' })).toEqual(DUE);
    expect(await use(key)).toEqual(DUE);
    expect(await ask(gateway().actor(key), 'GET', '/api/auth/me')).toEqual(DUE);
    await again.call('POST', '/api/auth/change-password', { new_password: 'another-password-4' });
    expect((await use(key)).status).toBe(200);
  });

  it.each([
    ['GET', KEYS, undefined],
    ['POST', KEYS, { name: 'offspring' }],
    ['DELETE', `${KEYS}/1`, undefined],
    ['GET', '/api/auth/sessions', undefined],
    ['DELETE', '/api/auth/sessions', undefined],
    ['DELETE', '/api/auth/sessions/x', undefined],
    ['POST', '/api/auth/logout', undefined],
    ['GET', '/api/auth/totp', undefined],
    ['POST', '/api/auth/totp/setup', undefined],
    ['POST', '/api/auth/totp/verify', { code: '123456' }],
    ['POST', '/api/auth/totp/disable', { code: '123456' }],
    ['POST', '/api/auth/totp/recovery-codes', { code: '123456' }],
    ['POST', '/api/auth/change-password', { new_password: 'another-password-4' }],
  ])('cannot %s %s: 403', async (method, path, input) => {
    const { key } = await createKey(gateway().admin);
    expect(await ask(gateway().actor(key), method, path, input)).toEqual({
      status: 403,
      body: { detail: 'This requires a session token, not an API key', code: 'session_required' },
    });
  });

  it('stay when the owner signs out everywhere or changes the password', async () => {
    const owner = await gateway().user({ username: 'tidy' });
    const { key } = await createKey(owner);
    await owner.call('POST', '/api/auth/change-password', { new_password: 'another-password-4' });
    await owner.call('DELETE', '/api/auth/sessions');
    expect((await use(key)).status).toBe(200);
  });

  it('are audited by name and prefix, never by secret', async () => {
    const owner = await gateway().user({ username: 'chronicled' });
    const { id, key, key_prefix } = await createKey(owner, { name: 'robot' });
    await owner.call('DELETE', `${KEYS}/${id}`);
    const { body } = await gateway().admin.call<{ action: string; detail: string }[]>(
      'GET',
      '/api/auth/audit?username=chronicled&search=api_key',
    );
    expect(body.map(({ action }) => action)).toEqual(['api_key_revoke', 'api_key_create']);
    for (const { detail } of body) expect(detail).toContain(key_prefix);
    expect(JSON.stringify(body)).not.toContain(key);
  });
});

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
  await writeFile(join(sshd.folder, 'report.txt'), 'a report');
});
afterAll(() => sshd?.stop());

describeEachGateway('An API key at a host', (gateway) => {
  let server_id: number;
  let owner: Actor;
  beforeAll(async () => {
    const { port, username, password } = sshd;
    server_id = (await gateway().addServer({ port, username, password })).id;
    owner = await gateway().user({ username: 'owner', allowed_groups: ['lab'] });
  });

  const terminal = (query: string) =>
    openTerminal(`${gateway().url}/api/ws/terminal/${server_id}?cols=80&rows=24&${query}`);
  const report = () => join(sshd.folder, 'report.txt');
  const download = (query: string) =>
    gateway().anonymous.call(
      'GET',
      `/api/files/${server_id}/download?path=${encodeURIComponent(report())}&${query}`,
    );
  const socketTicket = async (key: string) =>
    (await gateway().actor(key).call('POST', '/api/auth/ws-ticket')).body['ticket'];
  const fileTicket = async (key: string) =>
    (await gateway().actor(key).call('POST', `/api/files/${server_id}/ticket`, { path: report() })).body[
      'ticket'
    ];
  const revoke = ({ id }: CreatedApiKey) => owner.call('DELETE', `${KEYS}/${id}`);

  it('opens a terminal from the Authorization header', async () => {
    const shell = await openShell(gateway(), server_id, (await createKey(owner)).key);
    shell.close(1000);
  });

  it('opens a terminal as ?token=', async () => {
    const shell = terminal(`token=${(await createKey(owner)).key}`);
    await shell.frame('session');
    shell.close(1000);
  });

  it('downloads as ?token=', async () => {
    expect(await download(`token=${(await createKey(owner)).key}`)).toMatchObject({
      status: 200,
      body: 'a report',
    });
  });

  it('opens a terminal with a ticket', async () => {
    const shell = terminal(`ticket=${await socketTicket((await createKey(owner)).key)}`);
    await shell.frame('session');
    shell.close(1000);
  });

  it('downloads with a ticket', async () => {
    const ticket = await fileTicket((await createKey(owner)).key);
    expect(await download(`ticket=${ticket}`)).toMatchObject({ status: 200, body: 'a report' });
  });

  it('loses its tickets when it is revoked', async () => {
    const created = await createKey(owner);
    const [socket, file] = [await socketTicket(created.key), await fileTicket(created.key)];
    await revoke(created);
    expect((await terminal(`ticket=${socket}`).closed()).code).toBe(4001);
    expect((await download(`ticket=${file}`)).status).toBe(401);
  });

  it('loses its terminals when it expires', async () => {
    const created = await createKey(owner, { expires_at: FUTURE });
    const shell = await openShell(gateway(), server_id, created.key);
    const { db, tables } = gateway().store;
    await db.update(tables.api_keys).set({ expires_at: PAST }).where(eq(tables.api_keys.id, created.id));
    expect((await shell.closed()).code).toBe(4009);
  });

  it('loses its tickets when it expires', async () => {
    const created = await createKey(owner, { expires_at: FUTURE });
    const [socket, file] = [await socketTicket(created.key), await fileTicket(created.key)];
    const { db, tables } = gateway().store;
    await db.update(tables.api_keys).set({ expires_at: PAST }).where(eq(tables.api_keys.id, created.id));
    expect((await terminal(`ticket=${socket}`).closed()).code).toBe(4001);
    expect((await download(`ticket=${file}`)).status).toBe(401);
  });

  it.each([
    ['terminal', 'files'],
    ['files', 'terminal'],
  ])('with the scope %s is refused where %s is required', async (scope, missing) => {
    const { key } = await createKey(owner, { scopes: [scope] });
    const refused = { detail: `The API key lacks the scope \`${missing}\``, code: 'scope_missing' };
    if (missing === 'files') {
      expect((await download(`token=${key}`)).body).toEqual(refused);
    } else {
      const client = terminal(`token=${key}`);
      expect(await client.frame('error')).toMatchObject({ code: 'scope_missing' });
      expect((await client.closed()).code).toBe(4001);
    }
  });

  it('gives a ticket no more rights than its own', async () => {
    const { key } = await createKey(owner, { scopes: ['files'] });
    const { body } = await gateway().actor(key).call('POST', '/api/auth/ws-ticket');
    expect(body['code']).toBe('scope_missing');
  });
});
