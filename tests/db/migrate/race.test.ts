import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { postgresKit } from '#db/kit/postgres.ts';
import { type Kit, sqliteKit } from '#db/kit/sqlite.ts';
import { migrate } from '#db/migrate/apply.ts';
import { describeTables } from '#db/migrate/describe.ts';
import { introspect } from '#db/migrate/introspect.ts';
import { planChanges } from '#db/migrate/plan.ts';
import type { Store } from '#db/store.ts';
import { describeEachStore, type Fresh, silent } from '../../support/databases/stores.ts';

const ROUNDS = 4;
const INSTANCES = 4;
const PROCESSES = 2; // Each process compiles everything for itself.

async function openMany(fresh: Fresh, url: string): Promise<Store[]> {
  return Promise.all(Array.from({ length: INSTANCES }, () => fresh.open(url)));
}

/** Every change is applied, and recorded by exactly one instance. */
async function expectComplete(store: Store): Promise<void> {
  const { schema_migrations } = store.tables;
  const expected = describeTables(store.tables);
  expect(planChanges(expected, await introspect(store))).toEqual([]);
  const recorded = (await store.db.select().from(schema_migrations)).map((row) => row.change);
  expect(recorded.sort()).toEqual(
    planChanges(expected, new Map())
      .map((change) => change.id)
      .sort(),
  );
}

describeEachStore('instances that boot at once', (fresh) => {
  it('all start on an empty database', { timeout: 180_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const stores = await openMany(fresh, await fresh.url());
      await Promise.all(stores.map((store) => migrate(store, silent)));
      for (const store of stores.slice(0, 1)) await expectComplete(store);
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  it('all start when their versions differ', { timeout: 180_000 }, async () => {
    const kit: Kit = fresh.dialect === 'sqlite' ? sqliteKit : postgresKit;
    const older = kit.table('notes', { id: kit.id() });
    const newer = kit.table('notes', { id: kit.id(), body: kit.text() }, (row) => [
      kit.index('notes_body').on(row.body),
    ]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const stores = await openMany(fresh, await fresh.url());
      const versions = stores.map((store, i) => ({
        ...store,
        tables: { schema_migrations: store.tables.schema_migrations, notes: i % 2 ? newer : older },
      }));
      await Promise.all(versions.map((version) => migrate(version, silent)));
      for (const { db } of stores.slice(0, 1)) {
        expect(await db.insert(newer).values({ body: 'x' }).returning()).toEqual([{ id: 1, body: 'x' }]);
      }
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  it('all start as separate processes', { timeout: 180_000 }, async () => {
    const url = await fresh.url();
    const script = `
      const { openStore } = await import('#db/open-store.ts');
      const { migrate } = await import('#db/migrate/apply.ts');
      const store = openStore(process.argv[1]);
      await migrate(store, { debug() {}, info() {}, warn() {} });
      await store.close();`;
    const boot = () =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, url]);
    await Promise.all(Array.from({ length: PROCESSES }, boot));
    await expectComplete(await fresh.open(url));
  });
});
