import { expect, it } from 'vitest';
import { look } from '#db/migrate/apply.ts';
import { assertKnownFormat, FORMAT, recordFormat, untilUnused } from '#db/migrate/format.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import { instanceRow, TTL_MS } from '../../support/databases/rows.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';

describeEachStore('the format of a database', (fresh) => {
  it('is recorded once, with the version that brought it', async () => {
    const store = await fresh.migrated();
    await recordFormat(store, '0.7.0');
    await recordFormat(store, '0.8.0');
    const rows = await store.db.select().from(store.tables.database_format);
    expect(rows).toEqual([{ id: 1, format: FORMAT, version: '0.7.0' }]);
    await assertKnownFormat(store, await look(store));
  });

  it('of a newer version is refused, and stays as it is', async () => {
    const store = await fresh.migrated();
    const newer = { id: 1, format: FORMAT + 1, version: '9.1.0' };
    await store.db.insert(store.tables.database_format).values(newer);
    await expect(assertKnownFormat(store, await look(store))).rejects.toThrow(
      'Sallyport 9.1.0 has changed this database in a way that this version does not understand',
    );
    await recordFormat(store, '0.7.0');
    expect(await store.db.select().from(store.tables.database_format)).toEqual([newer]);
  });

  it('is not changed while an instance of an older version runs', async () => {
    const store = await fresh.migrated();
    const { instances } = createRepositories(store);
    await instances.beat(instanceRow('north'), TTL_MS);
    await expect(untilUnused(store, silent, 0)).rejects.toThrow('(running: instance north)');
    const waiting = untilUnused(store, { warn: () => void instances.remove('north') });
    await expect(waiting).resolves.toBeUndefined();
  });
});
