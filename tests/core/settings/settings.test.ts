import { describe, expect, it } from 'vitest';
import type { AuditTrail } from '#core/audit/trail.ts';
import { Fault } from '#core/errors.ts';
import { createChanges } from '#core/instances/changes.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import type { SettingKey, SettingValue } from '#core/model/settings/setting.ts';
import type { SettingRow } from '#core/ports/repositories/settings.ts';
import { createSettings } from '#core/settings/settings.ts';
import { createSettingsJob } from '#core/settings/watch.ts';
import { parseConfig } from '#server/config/config.ts';
import { silent } from '../../support/databases/stores.ts';
import { handClock } from '../../support/hand-clock.ts';

const ADMIN = {
  ...{ user_id: 1, username: 'admin', is_admin: true, is_fresh: true, scopes: ['admin'] },
  credential: { kind: 'session', id: 'of the administrator' },
} as unknown as Caller; // The settings read nothing else.

/** A table that the test fills, and the calls it gets. */
function setUp(environment: Record<string, string> = {}) {
  const table = new Map<string, unknown>();
  const warned: unknown[] = [];
  const told: string[] = [];
  const clock = handClock();
  const reading = { before: async () => {} };
  const repository = {
    async all() {
      const rows = [...table].map(([key, value]) => ({ key, value }));
      await reading.before();
      return rows;
    },
    async save(rows: readonly SettingRow[]) {
      for (const { key, value } of rows) table.set(key, value);
    },
    remove: async (keys: readonly SettingKey[]) => keys.filter((key) => table.delete(key)),
  };
  const log = { ...silent, warn: (fields: object) => warned.push(fields) };
  const trail = {
    record: async (_actor, action, detail) => void told.push(`${action} ${detail}`),
  } as Partial<AuditTrail> as AuditTrail; // The test needs nothing else of it.
  const background = { run: (_what: string, work: Promise<unknown>) => void work.catch(() => undefined) };
  const settings = createSettings(
    { repositories: { settings: repository }, trail, background, clock, log },
    parseConfig(environment),
  );
  const set = (values: Record<string, SettingValue>) => settings.update(ADMIN, values);
  return { table, warned, told, clock, reading, log, settings, set };
}

describe('A setting', () => {
  it('takes the administrator’s value before the environment’s before the default', async () => {
    const { settings, set } = setUp({ SERVICE_SESSION_TIMEOUT: '60', SERVICE_RESUME_SECONDS: '30' });
    await set({ session_timeout: 5 });
    expect(settings.values).toMatchObject({ session_timeout: 5, resume_seconds: 30, monitor_interval: 60 });
    expect(await settings.reset(ADMIN, ['session_timeout', 'resume_seconds'])).toEqual(['session_timeout']);
    expect(settings.values.session_timeout).toBe(60);
  });

  it('counts as changed only when its value differs, and the audit entry names all that were set', async () => {
    const { set, told } = setUp({ SERVICE_SESSION_TIMEOUT: '60' });
    expect(await set({ session_timeout: 60, resume_seconds: 5 })).toEqual(['resume_seconds']);
    expect(told).toEqual(['settings_update session_timeout, resume_seconds']);
  });

  it.each([
    ['of another version', 'from_the_future', 1],
    ['named like a part of every object', 'constructor', 1],
    ['below its least', 'monitor_interval', 0],
    ['no whole number', 'monitor_interval', 1.5],
    ['of another kind', 'quick_connect', 'yes'],
    ['none of its words', 'log_level', 'loud'],
    ['null', 'session_timeout', null],
  ])('that is %s in the database is ignored, with one log line', async (_what, key, value) => {
    const { settings, table, warned } = setUp();
    const before = settings.values;
    table.set(key, value);
    await settings.refresh();
    await settings.refresh();
    expect(settings.values).toEqual(before);
    expect(warned).toEqual([expect.objectContaining({ key })]);
  });

  it('notifies its listeners when it has changed, and only then', async () => {
    const { settings, set } = setUp();
    const seen: number[] = [];
    settings.onChange(() => seen.push(settings.values.session_timeout));
    await set({ session_timeout: 5 });
    await set({ session_timeout: 5 });
    await settings.refresh();
    await settings.reset(ADMIN, ['session_timeout']);
    expect(seen).toEqual([5, 3600]);
  });

  it('keeps its new value when an earlier read completes late', async () => {
    const { settings, set, reading } = setUp();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    reading.before = () => held;
    const read = settings.refresh();
    reading.before = async () => {};
    const updated = set({ session_timeout: 5 });
    goOn();
    await Promise.all([read, updated]);
    expect(settings.values.session_timeout).toBe(5);
  });
});

describe('The settings watch', () => {
  async function watched() {
    const scene = setUp();
    const branding = { refresh: async () => {} };
    const job = createSettingsJob({ ...scene, branding, changes: createChanges(scene.clock) });
    await job.start?.({ url: '', announce: () => undefined });
    return { ...scene, stop: async () => job.stop?.() };
  }

  it('applies within 2 s what another instance has set', async () => {
    const { clock, settings, table, stop } = await watched();
    table.set('session_timeout', 5);
    await clock.pass(2000);
    expect(settings.values.session_timeout).toBe(5);
    await stop();
    expect(clock.timers()).toBe(0);
  });

  it('logs a database outage once, keeps the values and keeps trying', async () => {
    const { clock, settings, table, reading, warned, stop } = await watched();
    table.set('session_timeout', 5);
    await clock.pass(2000);
    reading.before = () => Promise.reject(new Error('away'));
    await clock.pass(10_000);
    expect(settings.values.session_timeout).toBe(5);
    expect(warned).toHaveLength(1);
    reading.before = async () => {};
    table.set('session_timeout', 7);
    await clock.pass(2000);
    expect(settings.values.session_timeout).toBe(7);
    await stop();
  });

  it('has its audit entry once it is stored, whatever fails afterwards', async () => {
    const { set, told, reading } = setUp();
    let readings = 0;
    reading.before = async () => {
      readings += 1;
      if (readings > 1) throw new Fault('database_unavailable');
    };
    await expect(set({ session_timeout: 5 })).rejects.toThrow();
    expect(told).toEqual(['settings_update session_timeout']);
  });
});
