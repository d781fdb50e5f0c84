import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { User } from '#core/model/accounts/user.ts';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import type { BackupReport } from '#core/model/backup/backup.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { Branding } from '#core/model/settings/branding.ts';
import type { SettingList } from '#core/model/settings/setting.ts';
import { createKey, openShell, userOf } from '../../support/features/accounts.ts';
import { backupRows, exported, forged, restored } from '../../support/features/backups.ts';
import { addHost, listingOf } from '../../support/features/chain.ts';
import { codeAt } from '../../support/features/totp.ts';
import {
  type Actor,
  describeEachGateway,
  logIn,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const { admin, api_key, server, setting, user, webhook } = backupRows;

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
const counted = ({ created, updated, removed }: BackupReport, kind: keyof BackupReport['created']) =>
  [created[kind], updated[kind], removed[kind]] as const;
const signInOf = async (gateway: TestGateway, name: string, password = USER_PASSWORD) =>
  (await logIn(gateway.anonymous, name, password)).status;

describeEachGateway('Restoring with replace', (gateway) => {
  it('makes this gateway equal to the bundle', async () => {
    const { admin: chief } = gateway();
    const kept = await gateway().addServer({ name: 'kept', description: 'as it was', password: 'first' });
    await gateway().addServer({ name: 'lost', jump_via_id: kept.id });
    await chief.call('PUT', '/api/settings', { values: { resume_seconds: 33 } });
    const bundle = await exported(chief);
    await chief.call('PUT', `/api/servers/${kept.id}`, { description: 'changed', password: 'second' });
    await chief.call('DELETE', `/api/servers/${(await serverNamed(chief, 'lost'))?.id}`);
    const more = await gateway().addServer({ name: 'more' });
    await gateway().addServer({ name: 'behind more', jump_via_id: more.id });
    await chief.call('PUT', '/api/settings', { values: { resume_seconds: 44, session_timeout: 55 } });
    await chief.call('POST', '/api/webhooks', { name: 'w', url: 'https://example.com/w' });
    await chief.call('PUT', '/api/branding', { app_name: 'Acme' });
    const report = await restored(chief, bundle, { mode: 'replace' });
    expect(counted(report, 'servers')).toEqual([1, 1, 2]);
    expect(counted(report, 'settings')).toEqual([0, 1, 1]);
    expect([report.removed.webhooks, report.removed.branding]).toEqual([1, 1]);
    expect(await serverNamed(chief, 'kept')).toMatchObject({ id: kept.id, description: 'as it was' });
    expect(await serverNamed(chief, 'lost')).toMatchObject({ jump_via_id: kept.id });
    expect([await settingOf(chief, 'resume_seconds'), (await looksOf(gateway())).app_name]).toEqual([
      33,
      'Sallyport',
    ]);
  });

  it('leaves the settings of the agent as they are', async () => {
    const { admin: chief } = gateway();
    const address = { provider: 'openrouter', base_url: '', allow_private_address: false };
    await chief.call('PUT', '/api/agent/settings', { ...address, model: 'before', api_key: 'k' });
    const bundle = await exported(chief);
    const { body } = await chief.call('PUT', '/api/agent/settings', { ...address, model: 'after' });
    await restored(chief, bundle, { mode: 'replace' });
    expect((await chief.call('GET', '/api/agent/settings')).body).toEqual(body);
  });

  it('keeps the caller’s own account an enabled administrator with its current password', async () => {
    const chief = await gateway().user({ username: 'caller', is_admin: true });
    const own = user({ username: 'caller', disabled: true, allowed_groups: ['lab'] });
    const { warnings } = await restored(chief, await forged([admin(), own]), { mode: 'replace' });
    expect(warnings).toEqual([expect.stringMatching(/^caller: your own account stays/)]);
    expect(await userOf(chief)).toMatchObject({ is_admin: true, disabled: false, allowed_groups: ['lab'] });
    expect(await signInOf(gateway(), 'caller')).toBe(200);
  });

  it('keeps the caller’s own account even when the bundle does not contain it', async () => {
    const chief = await gateway().user({ username: 'stranger', is_admin: true });
    const { warnings } = await restored(chief, await forged([admin()]), { mode: 'replace' });
    expect(warnings).toEqual([expect.stringMatching(/^stranger: your own account is not in the bundle/)]);
    expect(await userNamed(chief, 'stranger')).toMatchObject({ is_admin: true });
    expect(await userNamed(chief, 'caller')).toBeUndefined();
  });

  it('keeps this gateway’s default administrator, even when the bundle names another', async () => {
    const chief = await gateway().user({ username: 'ruler', is_admin: true });
    const own = admin({ username: 'ruler' });
    const { warnings } = await restored(chief, await forged([own]), { mode: 'replace' });
    expect(warnings).toEqual([
      expect.stringMatching(/^admin: the default administrator is not in the bundle/),
      expect.stringMatching(/^ruler: restored as an administrator/),
    ]);
    expect(await userNamed(chief, 'admin')).toMatchObject({ is_default_admin: true, is_admin: true });
    expect(await userOf(chief)).toMatchObject({ is_default_admin: false, is_admin: true });
  });

  it('never locks out the default administrator, whatever the bundle contains', async () => {
    const chief = await gateway().user({ username: 'usurper', is_admin: true });
    for (const change of [{ source: 'ldap', password_hash: null }, { disabled: true }, { is_admin: false }]) {
      const rows = [admin({ username: 'other' }), user({ username: 'admin', is_admin: true, ...change })];
      await restored(chief, await forged(rows), { mode: 'replace' });
      expect(await userNamed(chief, 'admin')).toMatchObject({
        is_default_admin: true,
        is_admin: true,
        disabled: false,
        source: 'local',
      });
    }
  });

  it('records the names of changed users and servers', async () => {
    const chief = await gateway().user({ username: 'chronicler', is_admin: true });
    await gateway().user({ username: 'changed' });
    const server_input = { name: 'gone', hostname: 'gone.test', username: 'root' };
    const { id } = (await chief.call<Server>('POST', '/api/servers', server_input)).body;
    const rows = [
      admin(),
      user({ username: 'chronicler', is_admin: true }),
      user({ username: 'changed', is_admin: true, allowed_groups: ['lab'] }),
      user({ username: 'evil', is_admin: true }),
      api_key({ owner: 'evil' }),
      server({ name: 'new' }),
    ];
    await restored(chief, await forged(rows), { mode: 'replace' });
    const entries = await chief.call<AuditEntry[]>(
      'GET',
      '/api/auth/audit?action=backup_restore&username=chronicler',
    );
    const details = entries.body.map(({ detail }) => detail).join('\n');
    expect(details).toMatch(/^users created: evil \(administrator\)$/m);
    expect(details).toMatch(/^users changed: .*changed \(password, admin, groups\)/m);
    expect(details).toMatch(/^users removed: .*usurper/m);
    expect(details).toMatch(/^API keys created: ci \(sp_abcdefgh…\) of evil$/m);
    expect(details).toMatch(/^servers created: new$/m);
    expect(details).toContain(`gone (#${id})`);
  });
});

describeEachGateway('After a replace', (gateway) => {
  it('signs out users whose password has changed or who are gone, in terminals too', async () => {
    const { admin: chief } = gateway();
    const host = await addHost(gateway(), { name: 'shell', sshd, group: 'lab' });
    const [changed, same] = [
      await gateway().user({ username: 'changed', allowed_groups: ['lab'] }),
      await gateway().user({ username: 'same', allowed_groups: ['lab'] }),
    ];
    const bundle = await exported(chief);
    const gone = await gateway().user({ username: 'gone', allowed_groups: ['lab'] });
    await changed.call('POST', '/api/auth/change-password', {
      new_password: 'another-password-9',
      current_password: USER_PASSWORD,
    });
    const [shell, other, kept] = await Promise.all(
      [changed, gone, same].map((actor) => openShell(gateway(), host.id, actor.token)),
    );
    await restored(chief, bundle, { mode: 'replace' });
    expect([(await shell?.closed())?.code, (await other?.closed())?.code]).toEqual([4009, 4009]);
    const statuses = await Promise.all(
      [changed, gone, same].map(async (actor) => (await actor.call('GET', '/api/auth/me')).status),
    );
    expect(statuses).toEqual([401, 401, 200]);
    expect([await signInOf(gateway(), 'changed'), await signInOf(gateway(), 'gone')]).toEqual([200, 401]);
    kept?.type('echo still-$((40 + 2))\r');
    await kept?.sees(/still-42/);
    kept?.close();
  });

  const CHANGED: readonly (readonly [string, object, object])[] = [
    [
      'directory entry',
      { source: 'ldap', password_hash: null, directory_id: 'entry-new' },
      { source: 'ldap', password_hash: null, directory_id: 'entry-old', is_admin: true },
    ],
    [
      'second factor',
      { must_change_password: false },
      { totp_enabled: true, totp_secret: 'ABCDEFGHIJKLMNOP' },
    ],
  ];

  it.each(CHANGED)('signs out users whose %s has changed', async (what, here, there) => {
    const username = what.replaceAll(' ', '-');
    const alice = await gateway().user({ username });
    const { db, tables } = gateway().store;
    const isAlice = eq(tables.users.username, username);
    await db.update(tables.users).set(here).where(isAlice);
    const [row] = await db.select().from(tables.users).where(isAlice);
    const same = { username, password_hash: row?.password_hash, created_at: row?.created_at };
    await restored(gateway().admin, await forged([admin(), user({ ...same, ...there })]), {
      mode: 'replace',
    });
    expect((await alice.call('GET', '/api/auth/me')).status).toBe(401);
  });

  it('drops a second factor that was only being set up, and one without a secret is exported so', async () => {
    const { admin: chief, store } = gateway();
    const alice = await gateway().user({ username: 'setting-up' });
    const { body } = await alice.call<{ secret: string }>('POST', '/api/auth/totp/setup');
    const { users } = store.tables;
    const [row] = await store.db.select().from(users).where(eq(users.username, 'setting-up'));
    const same = { username: 'setting-up', password_hash: row?.password_hash };
    const rows = [admin(), user({ ...same, totp_enabled: true, totp_secret: null })];
    const { warnings } = await restored(chief, await forged(rows), { mode: 'replace' });
    expect(warnings).toEqual([expect.stringMatching(/^setting-up: the bundle has no secret/)]);
    const code = codeAt(body.secret);
    expect((await logIn(gateway().anonymous, 'setting-up', USER_PASSWORD, code)).status).toBe(401);
    const again = await restored(chief, await exported(chief), { mode: 'replace' });
    expect(again.updated).toMatchObject({ users: 0 });
  });

  it('drops connections to a server that has changed', async () => {
    const { admin: chief } = gateway();
    const host = await addHost(gateway(), { name: 'pooled', sshd });
    const bundle = await exported(chief);
    await chief.call('PUT', `/api/servers/${host.id}`, { sftp_enabled: false });
    const off = await exported(chief);
    await restored(chief, bundle, { mode: 'replace' });
    expect((await listingOf(chief, host.id)).status).toBe(200);
    await restored(chief, off, { mode: 'replace' });
    expect((await listingOf(chief, host.id)).code).toBe('sftp_disabled');
  });

  it('invalidates an API key that is not in the bundle', async () => {
    const { admin: chief } = gateway();
    const [old, bundle] = [await createKey(chief), await exported(chief)];
    const late = await createKey(chief);
    await restored(chief, bundle, { mode: 'replace' });
    const statusOf = async (key: string) => (await gateway().actor(key).call('GET', '/api/servers')).status;
    expect([await statusOf(old.key), await statusOf(late.key)]).toEqual([200, 401]);
  });
});

describeEachGateway(
  'Where the settings are locked',
  (gateway) => {
    it('leaves them unchanged, and says so', async () => {
      const { admin: chief } = gateway();
      const branding = { app_name: 'Harbor', tagline: '', colors: {}, colors_dark: {} };
      const rows = [admin(), setting('session_timeout', 99), webhook(), ['branding', branding] as const];
      const { warnings, created } = await restored(chief, await forged(rows), { mode: 'replace' });
      expect(warnings).toEqual([
        'The settings are locked (SERVICE_CONFIG_LOCKED) and were not changed',
        'Branding is locked (SERVICE_CONFIG_LOCKED) and was not changed',
      ]);
      expect([created.settings, created.branding, created.webhooks]).toEqual([0, 0, 1]);
    });
  },
  { env: { SERVICE_CONFIG_LOCKED: 'true' } },
);
