import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SETTING_KEYS, SETTINGS, type Setting, type SettingList } from '#core/model/settings/setting.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type Actor,
  describeEachGateway,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';

const list = async (actor: Actor) => (await actor.call<SettingList>('GET', '/api/settings')).body;
const put = (actor: Actor, values: object) =>
  actor.call<{ changed: string[] }>('PUT', '/api/settings', { values });
const reset = (actor: Actor, keys: readonly string[]) =>
  actor.call<{ cleared: string[] }>('POST', '/api/settings/reset', { keys });

async function settingOf(actor: Actor, key: string): Promise<Setting | undefined> {
  return (await list(actor)).settings.find((setting) => setting.key === key);
}

const ENVIRONMENT = { SERVICE_RESUME_SECONDS: '30', SERVICE_QUICK_CONNECT: 'false' };

describeEachGateway(
  'Settings',
  (gateway) => {
    beforeEach(() => reset(gateway().admin, SETTING_KEYS));

    it('are listed with their value in force and its source', async () => {
      const { locked, settings } = await list(gateway().admin);
      expect(locked).toBe(false);
      expect(settings.map(({ key }) => key)).toEqual(Object.keys(SETTINGS));
      const of = (key: string) => settings.find((setting) => setting.key === key);
      expect(of('resume_seconds')).toEqual({
        ...SETTINGS.resume_seconds,
        key: 'resume_seconds',
        value: 30,
        default: 30,
        source: 'environment',
      });
      expect(of('quick_connect')).toMatchObject({ value: false, source: 'environment' });
      expect(of('log_level')).toMatchObject({
        value: 'info',
        source: 'default',
        choices: SETTINGS.log_level.choices,
      });
    });

    it('are changed by administrators, and the answer names those with a new value', async () => {
      const { admin } = gateway();
      const { status, body } = await put(admin, {
        resume_seconds: 7,
        monitor_interval: 60,
        quick_connect: true,
      });
      expect([status, body]).toEqual([200, { changed: ['resume_seconds', 'quick_connect'] }]);
      expect(await settingOf(admin, 'resume_seconds')).toMatchObject({
        value: 7,
        default: 30,
        source: 'admin',
      });
      expect(await settingOf(admin, 'monitor_interval')).toMatchObject({ value: 60, source: 'admin' });
    });

    it('return to the environment or the default when they are reset', async () => {
      const { admin } = gateway();
      await put(admin, { resume_seconds: 7, log_level: 'error' });
      const { status, body } = await reset(admin, ['log_level', 'resume_seconds', 'quick_connect']);
      expect([status, body]).toEqual([200, { cleared: ['resume_seconds', 'log_level'] }]);
      expect(await settingOf(admin, 'resume_seconds')).toMatchObject({ value: 30, source: 'environment' });
      expect(await settingOf(admin, 'log_level')).toMatchObject({ value: 'info', source: 'default' });
    });

    it.each([
      ['below the least', { monitor_interval: 0 }, ['values.monitor_interval']],
      ['beyond the most', { monitor_interval: 86_401 }, ['values.monitor_interval']],
      ['not whole', { monitor_interval: 1.5 }, ['values.monitor_interval']],
      ['a text for a number', { monitor_interval: '5' }, ['values.monitor_interval']],
      ['a number for a switch', { record_sessions: 1 }, ['values.record_sessions']],
      ['a word that is none of the choices', { log_level: 'loud' }, ['values.log_level']],
      ['null', { session_timeout: null }, ['values.session_timeout']],
      ['several', { max_upload_size: -1, log_level: '' }, ['values.max_upload_size', 'values.log_level']],
    ])('are all refused when one value is %s: 422 names it', async (_what, bad, paths) => {
      const { admin } = gateway();
      const { status, body } = await put(admin, { resume_seconds: 7, ...bad });
      const errors = body as unknown as { code: string; errors: { path: string }[] };
      expect([status, errors.code]).toEqual([422, 'validation']);
      expect(errors.errors.map(({ path }) => path).sort()).toEqual([...paths].sort());
      expect(await settingOf(admin, 'resume_seconds')).toMatchObject({ value: 30, source: 'environment' });
    });

    it.each([
      ['audit_retention_days', 6, 7],
      ['audit_max_entries', 9_999, 10_000],
      ['recording_retention_bytes', 999_999, 1_000_000],
    ])('refuse a small %s: 422, and take 0', async (key, small, least) => {
      const { admin } = gateway();
      for (const value of [1, small]) expect((await put(admin, { [key]: value })).status).toBe(422);
      for (const value of [least, 0]) expect((await put(admin, { [key]: value })).status).toBe(200);
    });

    it('are audited with their value when they limit the audit log, also when they are reset', async () => {
      const { admin } = gateway();
      await put(admin, { audit_max_entries: 20_000 });
      await reset(admin, ['audit_max_entries', 'log_level']);
      const path = '/api/auth/audit?action=audit_limits&limit=2';
      const { body } = await admin.call<{ detail: string }[]>('GET', path);
      expect(body.map(({ detail }) => detail)).toEqual(['audit_max_entries: 0', 'audit_max_entries: 20000']);
    });

    it.each(['port', 'constructor', 'SERVICE_HOST'])('refuse %s: 422', async (key) => {
      expect((await put(gateway().admin, { [key]: 1 })).status).toBe(422);
      expect((await reset(gateway().admin, [key])).status).toBe(422);
    });

    it('are for administrators only', async () => {
      const user = await gateway().user({ username: `u${Math.random()}` });
      for (const { status, body } of [await put(user, {}), await reset(user, ['log_level'])]) {
        expect([status, body]).toMatchObject([403, { code: 'admin_only' }]);
      }
      expect(await list(user)).toMatchObject({ code: 'admin_only' });
    });

    it('are audited by name, never by value', async () => {
      const { admin } = gateway();
      await put(admin, { session_timeout: 4711, log_level: 'warn' });
      await reset(admin, ['session_timeout']);
      const { body } = await admin.call<{ action: string; detail: string }[]>(
        'GET',
        '/api/auth/audit?search=settings_&limit=2',
      );
      expect(body.map(({ action, detail }) => `${action}: ${detail}`)).toEqual([
        'settings_reset: session_timeout',
        'settings_update: session_timeout, log_level',
      ]);
    });
  },
  { env: ENVIRONMENT },
);

describe.each(DIALECTS)('With SERVICE_CONFIG_LOCKED (%s)', (dialect) => {
  let database: FreshDatabase;
  let open: TestGateway;
  let gateway: TestGateway;
  let admin: Actor;
  const branding = async () => (await gateway.anonymous.call('GET', '/api/branding')).body;
  const offers = async (one: TestGateway) => {
    const { body } = await one.anonymous.call<{ quick_connect?: false }>('GET', '/api/config');
    return body.quick_connect !== false;
  };
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    open = await startGateway({ database_url: database.url });
    await put(open.admin, { quick_connect: false, resume_seconds: 7 });
    await open.admin.call('PUT', '/api/branding', { app_name: 'Harbor' });
    const env = { SERVICE_CONFIG_LOCKED: 'true', SERVICE_RESUME_SECONDS: '30' };
    gateway = await startGateway({ database_url: database.url, untouched: true, env });
    admin = gateway.actor(open.admin.token);
  });
  afterAll(async () => {
    await gateway?.close();
    await open?.close();
    await database?.cleanup();
  });

  it('settings stored before are not in force: the environment or the default is', async () => {
    expect(await list(admin)).toMatchObject({ locked: true });
    expect(await settingOf(admin, 'quick_connect')).toMatchObject({ value: true, source: 'default' });
    expect(await settingOf(admin, 'resume_seconds')).toMatchObject({ value: 30, source: 'environment' });
    expect([await offers(open), await offers(gateway)]).toEqual([false, true]);
  });

  it('neither settings nor branding are changed or reset: 403', async () => {
    for (const { status, body } of [
      await put(admin, { session_timeout: 5 }),
      await reset(admin, ['quick_connect']),
      await admin.call('PUT', '/api/branding', { app_name: 'Pier' }),
      await admin.call('DELETE', '/api/branding'),
    ]) {
      expect([status, body]).toMatchObject([403, { code: 'config_locked' }]);
    }
    expect(await branding()).toMatchObject({ app_name: 'Harbor' });
  });

  it('stored settings are kept, and are in force without the lock', async () => {
    const again = await startGateway({ database_url: database.url, untouched: true });
    try {
      expect(await settingOf(again.actor(admin.token), 'resume_seconds')).toMatchObject({
        value: 7,
        source: 'admin',
      });
      expect(await offers(again)).toBe(false);
    } finally {
      await again.close();
    }
  });
});

describe.each(DIALECTS)('Two gateways on one database (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    one = await startGateway({ one_instance: true, database_url: database.url });
    other = await startGateway({ one_instance: true, database_url: database.url, untouched: true });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  const offered = async () => {
    const { body } = await other.anonymous.call<{ quick_connect?: false }>('GET', '/api/config');
    return body.quick_connect !== false;
  };

  it('apply what was set at either of them within a few seconds', async () => {
    expect(await offered()).toBe(true);
    await put(one.admin, { quick_connect: false });
    await eventually(async () => expect(await offered()).toBe(false));
    await reset(other.actor(one.admin.token), ['quick_connect']);
    expect(await offered()).toBe(true);
  });

  it('start with what was set before', async () => {
    await put(one.admin, { quick_connect: false });
    const third = await startGateway({ one_instance: true, database_url: database.url, untouched: true });
    try {
      const { body } = await third.anonymous.call('GET', '/api/config');
      expect(body).toMatchObject({ quick_connect: false });
    } finally {
      await third.close();
    }
  });
});
