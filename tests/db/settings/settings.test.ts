import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { twoInstances } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const AT = '2026-01-02T03:04:05.678Z';

describeEachStore('stored settings', (fresh) => {
  const repository = async () => createRepositories(await fresh.migrated()).settings;

  it('are stored by key, for every type, and replaced', async () => {
    const settings = await repository();
    await settings.save(
      [
        { key: 'session_timeout', value: 0 },
        { key: 'max_upload_size', value: Number.MAX_SAFE_INTEGER },
        { key: 'quick_connect', value: false },
        { key: 'log_level', value: 'debug' },
      ],
      AT,
    );
    await settings.save([{ key: 'session_timeout', value: 60 }], AT);
    const stored = Object.fromEntries((await settings.all()).map(({ key, value }) => [key, value]));
    expect(stored).toEqual({
      session_timeout: 60,
      max_upload_size: Number.MAX_SAFE_INTEGER,
      quick_connect: false,
      log_level: 'debug',
    });
  });

  it('that were written by hand and are not JSON are read as text', async () => {
    const store = await fresh.migrated();
    const { settings } = createRepositories(store);
    await settings.save([{ key: 'log_level', value: 'debug' }], AT);
    if (store.dialect === 'sqlite') await store.batch(() => [sql`update settings set value = 'loud'`]);
    else await store.batch(() => [sql`update settings set value = '"loud"'`]);
    expect(await settings.all()).toEqual([{ key: 'log_level', value: 'loud' }]);
  });

  it('ignore an empty change', async () => {
    const settings = await repository();
    await settings.save([], AT);
    expect(await settings.all()).toEqual([]);
  });

  it('are removed once, and the removed keys are returned', async () => {
    const settings = await repository();
    await settings.save([{ key: 'session_timeout', value: 60 }], AT);
    expect(await settings.remove(['session_timeout', 'log_level'])).toEqual(['session_timeout']);
    expect(await settings.remove(['session_timeout'])).toEqual([]);
    expect(await settings.all()).toEqual([]);
  });

  it('may be set by several instances at once', async () => {
    const [one, two] = await twoInstances(fresh);
    const rows = [
      { key: 'monitor_interval' as const, value: 5 },
      { key: 'monitor_timeout' as const, value: 5 },
    ];
    const saves = Array.from({ length: 10 }, (_, i) =>
      (i % 2 ? one : two).settings.save(i % 3 ? rows : rows.toReversed(), AT),
    );
    await Promise.all(saves);
    expect(await one.settings.all()).toHaveLength(2);
  });
});
