import { expect, it } from 'vitest';
import { createRepositories } from '#db/repositories/repositories.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

describeEachStore('stored settings of the agent', (fresh) => {
  const open = async () => {
    const store = await fresh.migrated();
    return { store, settings: createRepositories(store).agent_settings };
  };

  it('are one row, which is missing at first', async () => {
    const { store, settings } = await open();
    expect(await settings.get()).toBeNull();
    expect(await settings.save('one', null)).toBe(true);
    expect(await settings.save('two', 'one')).toBe(true);
    expect(await settings.get()).toBe('two');
    expect(await store.db.select().from(store.tables.agent_settings)).toHaveLength(1);
  });

  it('are not replaced by someone who has read others', async () => {
    const { settings } = await open();
    expect(await settings.save('one', 'never stored')).toBe(false);
    expect(await settings.save('one', null)).toBe(true);
    expect(await settings.save('two', null)).toBe(false);
    expect(await settings.save('two', 'zero')).toBe(false);
    expect(await settings.get()).toBe('one');
  });

  it('may be cleared in the database', async () => {
    const { store, settings } = await open();
    await store.db.insert(store.tables.agent_settings).values({ id: 1, config_sealed: null });
    expect(await settings.get()).toBeNull();
    expect(await settings.save('one', null)).toBe(true);
    expect(await settings.get()).toBe('one');
  });

  it('have one winner when several save at once', async () => {
    const { settings } = await open();
    const names = ['a', 'b', 'c', 'd'];
    const saved = await Promise.all(names.map((name) => settings.save(name, null)));
    expect(saved.filter(Boolean)).toHaveLength(1);
    expect(await settings.get()).toBe(names[saved.indexOf(true)]);
  });
});
