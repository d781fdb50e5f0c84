import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditVerdict } from '#core/model/audit/audit.ts';
import type { BackupBundle } from '#core/model/backup/backup.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { Branding } from '#core/model/settings/branding.ts';
import type { SettingList } from '#core/model/settings/setting.ts';
import type { Snippet } from '#core/model/snippet.ts';
import type { Webhook } from '#core/model/webhooks/webhook.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { createKey, openShell } from '../../support/features/accounts.ts';
import { exported, PASSPHRASE, restored } from '../../support/features/backups.ts';
import { addHost } from '../../support/features/chain.ts';
import { type Enrolled, enrol } from '../../support/features/totp.ts';
import {
  type Actor,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let outer: Sshd;
let inner: Sshd;
let postgres: FreshDatabase;
let first: TestGateway;
let second: TestGateway;
let third: TestGateway;
let factor: Enrolled;
let key: string;
let bundle: BackupBundle;

/** Everything that a gateway can hold, on the first one. */
async function furnish(gateway: TestGateway): Promise<void> {
  const { admin } = gateway;
  const jump = await addHost(gateway, { name: 'outer', sshd: outer });
  const { encrypted_private_key: private_key, passphrase } = inner;
  await addHost(gateway, {
    name: 'inner',
    sshd: inner,
    jump_via_id: jump.id,
    auth_method: 'key',
    password: '',
    private_key,
    passphrase,
  });
  await gateway.user({ username: 'padding' }); // So that ids differ.
  const careful = await gateway.user({ username: 'careful', allowed_groups: ['lab'] });
  factor = await enrol(careful);
  key = (await createKey(careful, { scopes: ['read', 'files'] })).key;
  await careful.call('POST', '/api/snippets', { name: 'Disk', command: 'df -h {path}' });
  await admin.call('POST', '/api/webhooks', {
    name: 'hook',
    url: 'https://example.com/x',
    secret: 'hush',
    events: ['server_added'],
  });
  await admin.call('PUT', '/api/settings', { values: { resume_seconds: 77 } });
  await admin.call('PUT', '/api/branding', {
    app_name: 'Acme',
    colors: { text: '#101010', accent: '#112233' },
    logo: PIXEL,
  });
  await listed(admin); // Pins both host keys.
}

async function serversOf(actor: Actor): Promise<Server[]> {
  return (await actor.call<Server[]>('GET', '/api/servers')).body;
}

async function idOf(actor: Actor, name: string): Promise<number> {
  return (await serversOf(actor)).find((server) => server.name === name)?.id ?? 0;
}

async function listed(actor: Actor): Promise<number> {
  return (await actor.call('GET', `/api/files/${await idOf(actor, 'inner')}/ls?path=/`)).status;
}

beforeAll(async () => {
  [outer, inner] = await Promise.all([startSshd(), startSshd()]);
  postgres = await migratedDatabaseUrl('postgres');
  first = await startGateway({ env: { SERVICE_SECRET_KEY: 'the key of the first gateway' } });
  second = await startGateway({
    database_url: postgres.url,
    env: { SERVICE_SECRET_KEY: 'the key of the second one' },
  });
  third = await startGateway({ env: { SERVICE_SECRET_KEY: 'the key of the third gateway' } });
  await furnish(first);
  await second.user({ username: 'somebody' });
  bundle = await exported(first.admin, true);
});

afterAll(async () => {
  for (const gateway of [first, second, third]) await gateway?.close();
  await postgres?.cleanup();
  for (const sshd of [outer, inner]) await sshd?.stop();
});

const logInWith = (gateway: TestGateway, code: string) =>
  logIn(gateway.anonymous, 'careful', USER_PASSWORD, code);

describe('A bundle from SQLite', () => {
  it('contains no readable secret', () => {
    const text = JSON.stringify(bundle);
    for (const secret of [outer.password, inner.passphrase, factor.secret, PASSPHRASE, 'careful', 'Acme']) {
      expect(text).not.toContain(secret);
    }
  });

  it('is restored on PostgreSQL under another key, as its dry run reported', async () => {
    const tried = await restored(second.admin, bundle, { dry_run: true });
    expect(await serversOf(second.admin)).toEqual([]);
    const report = await restored(second.admin, bundle);
    expect(report).toEqual(tried);
    expect(report.created).toMatchObject({
      servers: 2,
      users: 2,
      api_keys: 1,
      webhooks: 1,
      snippets: 1,
      settings: 1,
      branding: 1,
    });
    expect(report.warnings).toEqual([]);
  });

  it('restores servers with their credentials, pins and jump hosts', async () => {
    const [inner_row, outer_row] = await serversOf(second.admin);
    expect(inner_row).toMatchObject({ name: 'inner', jump_via_id: outer_row?.id, has_private_key: true });
    expect(inner_row?.host_key_fingerprint).toBe(await inner.hostFingerprint());
    expect(await listed(second.admin)).toBe(200);
    const shell = await openShell(second, inner_row?.id ?? 0, second.admin.token);
    shell.type('echo up-$((20 + 2))\r');
    await shell.sees(/up-22/);
    shell.close();
  });

  it('restores accounts with working passwords, second factors, recovery codes and API keys', async () => {
    expect((await logInWith(second, factor.nextCode())).status).toBe(200);
    const [code = ''] = factor.recovery_codes;
    expect((await logInWith(second, code)).status).toBe(200);
    expect((await logInWith(second, code)).status).toBe(401);
    expect((await second.actor(key).call('GET', '/api/servers')).status).toBe(200);
  });

  it('restores snippets, webhooks, settings and branding, all in force at once', async () => {
    const user = second.actor((await logInWith(second, factor.recovery_codes[1] ?? '')).body.access_token);
    const snippets = (await user.call<Snippet[]>('GET', '/api/snippets')).body;
    expect(snippets).toMatchObject([{ name: 'Disk', command: 'df -h {path}', owned: true }]);
    const webhooks = (await second.admin.call<Webhook[]>('GET', '/api/webhooks')).body;
    expect(webhooks).toMatchObject([{ name: 'hook', events: ['server_added'], has_secret: true }]);
    const { settings } = (await second.admin.call<SettingList>('GET', '/api/settings')).body;
    expect(settings.find(({ key: name }) => name === 'resume_seconds')).toMatchObject({
      value: 77,
      source: 'admin',
    });
    const looks = (await second.anonymous.call<Branding>('GET', '/api/branding')).body;
    expect(looks).toMatchObject({ app_name: 'Acme', colors: { accent: '#112233' } });
    expect((await second.anonymous.call('GET', `/${looks.logo}`)).status).toBe(200);
  });

  it('restores the audit log, which still verifies', async () => {
    const verdict = await second.admin.call<AuditVerdict>('GET', '/api/auth/audit/verify');
    expect(verdict.body).toMatchObject({ ok: true });
    const found = await second.admin.call<unknown[]>(
      'GET',
      '/api/auth/audit?username=careful&action=totp_enable',
    );
    expect(found.body).toHaveLength(1);
  });

  it('changes nothing when it is restored again', async () => {
    const { created, updated, removed } = await restored(second.admin, bundle);
    for (const counts of [created, updated, removed])
      expect(Object.values(counts).every((n) => n === 0)).toBe(true);
  });
});

describe('A bundle from PostgreSQL', () => {
  beforeAll(async () => {
    await restored(third.admin, await exported(second.admin, true));
  });

  it('is restored on SQLite with everything the first one brought', async () => {
    expect(await listed(third.admin)).toBe(200);
    expect((await third.actor(key).call('GET', '/api/servers')).status).toBe(200);
    expect((await logInWith(third, factor.recovery_codes[2] ?? '')).status).toBe(200);
    expect((await logInWith(third, factor.recovery_codes[0] ?? '')).status).toBe(401);
    expect((await third.admin.call<AuditVerdict>('GET', '/api/auth/audit/verify')).body).toMatchObject({
      ok: true,
    });
  });

  it('accepts no code that was used before', async () => {
    const { nextCode } = factor;
    const code = nextCode();
    expect((await logInWith(third, code)).status).toBe(200);
    expect((await logInWith(third, code)).status).toBe(401);
  });
});
