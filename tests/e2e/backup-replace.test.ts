import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BackupReport } from '#core/model/backup.ts';
import type { Branding } from '#core/model/branding.ts';
import type { Server } from '#core/model/server.ts';
import type { SettingList } from '#core/model/setting.ts';
import type { User } from '#core/model/user.ts';
import { createKey, openShell, userOf } from '../support/accounts.ts';
import { backupRows, exported, forged, restored } from '../support/backups.ts';
import { addHost, listingOf } from '../support/chain.ts';
import {
  type Actor,
  describeEachGateway,
  logIn,
  type TestGateway,
  USER_PASSWORD,
} from '../support/gateway.ts';
import { type Sshd, startSshd } from '../support/sshd.ts';

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const { admin, setting, user, webhook } = backupRows;

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
  it('makes what is here what is in the bundle', async () => {
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

  it('keeps the caller’s own account an enabled administrator with the password that it has', async () => {
    const chief = await gateway().user({ username: 'caller', is_admin: true });
    const own = user({ username: 'caller', disabled: true, allowed_groups: ['lab'] });
    const { warnings } = await restored(chief, await forged([admin(), own]), { mode: 'replace' });
    expect(warnings).toEqual([expect.stringMatching(/^caller: your own account stays/)]);
    expect(await userOf(chief)).toMatchObject({ is_admin: true, disabled: false, allowed_groups: ['lab'] });
    expect(await signInOf(gateway(), 'caller')).toBe(200);
  });

  it('keeps the caller’s own account also when the bundle does not know it', async () => {
    const chief = await gateway().user({ username: 'stranger', is_admin: true });
    const { warnings } = await restored(chief, await forged([admin()]), { mode: 'replace' });
    expect(warnings).toEqual([expect.stringMatching(/^stranger: your own account is not in the bundle/)]);
    expect(await userNamed(chief, 'stranger')).toMatchObject({ is_admin: true });
    expect(await userNamed(chief, 'caller')).toBeUndefined();
  });

  it('keeps a default administrator: that of the bundle, or else the one that is', async () => {
    const chief = await gateway().user({ username: 'ruler', is_admin: true });
    const { warnings } = await restored(chief, await forged([user()]), { mode: 'replace' });
    expect(warnings.join()).toContain('admin: the default administrator is not in the bundle');
    expect(await userNamed(chief, 'admin')).toMatchObject({ is_default_admin: true });
    await restored(chief, await forged([admin({ username: 'boss' })]), { mode: 'replace' });
    expect(await userNamed(chief, 'boss')).toMatchObject({ is_default_admin: true, is_admin: true });
    expect(await userNamed(chief, 'admin')).toBeUndefined();
    expect(await userOf(chief)).toMatchObject({ is_default_admin: false });
  });
});

describeEachGateway('After a replace', (gateway) => {
  it('whose password is another one, or who is gone, is signed out, in terminals too', async () => {
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

  it('connections to a server that is another one now are not used any more', async () => {
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

  it('an API key that the bundle does not know is of no use', async () => {
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
    it('a restore leaves them, and says so', async () => {
      const { admin: chief } = gateway();
      const rows = [admin(), setting('session_timeout', 99), webhook()];
      const { warnings, created } = await restored(chief, await forged(rows), { mode: 'replace' });
      expect(warnings.join()).toContain('SERVICE_CONFIG_LOCKED');
      expect([created.settings, created.webhooks]).toEqual([0, 1]);
    });
  },
  { env: { SERVICE_CONFIG_LOCKED: 'true' } },
);
