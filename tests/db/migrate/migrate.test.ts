import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { postgresKit } from '#db/kit/postgres.ts';
import { type Kit, sqliteKit } from '#db/kit/sqlite.ts';
import { migrate } from '#db/migrate/apply.ts';
import { introspect } from '#db/migrate/introspect.ts';
import { defineSystem } from '#db/schema/system.ts';
import type { Dialect, Store } from '#db/store.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';

const kits: Record<Dialect, Kit> = { sqlite: sqliteKit, postgres: postgresKit };

const notes = (kit: Kit) => kit.table('notes', { id: kit.id(), body: kit.text().notNull() });

const longerNotes = (kit: Kit) =>
  kit.table(
    'notes',
    {
      id: kit.id(),
      body: kit.text().notNull(),
      title: kit.text(),
      pinned: kit.bool().notNull().default(false),
      rank: kit.int().notNull().default(7),
      tags: kit.strings().notNull().default(["it's"]),
      author: kit.text().notNull().default("o'hara"),
    },
    (row) => [kit.index('notes_title').on(row.title)],
  );

/** The store as a version with this table would see it. */
function ofVersion<Notes>(store: Store, define: (kit: Kit) => Notes) {
  const kit = kits[store.dialect];
  return { ...store, tables: { ...defineSystem(kit), notes: define(kit) } };
}

async function changes(store: Store): Promise<string[]> {
  const { schema_migrations } = store.tables;
  const rows = await store.db.select().from(schema_migrations).orderBy(schema_migrations.id);
  return rows.map((row) => row.change);
}

function listening() {
  const warnings: object[] = [];
  return { warnings, log: { ...silent, warn: (fields: object) => warnings.push(fields) } };
}

describeEachStore('migrate', (fresh) => {
  it('creates every table and index at the first boot and records each change', async () => {
    const store = await fresh.open();
    await migrate(store, silent);
    const live = await introspect(store);
    expect([...live.keys()].filter((name) => name !== 'sqlite_sequence').sort()).toEqual(
      Object.keys(store.tables).sort(),
    );
    const recorded = await changes(store);
    expect(recorded[0]).toBe('create table schema_migrations');
    expect(recorded).toContain('create table servers');
    expect(recorded).toContain('create index users_username_key');
    expect(new Set(recorded).size).toBe(recorded.length);
  });

  it('changes nothing at the second boot', async () => {
    const url = await fresh.url();
    const first = await fresh.migrated(url);
    const before = await first.db.select().from(first.tables.schema_migrations);
    const { warnings, log } = listening();
    const second = await fresh.open(url);
    const unwritable = { ...second, batch: () => Promise.reject(new Error('written to')) };
    await migrate(unwritable, log);
    expect(await second.db.select().from(second.tables.schema_migrations)).toEqual(before);
    expect(warnings).toEqual([]);
  });

  it('adds what is missing to a table that holds rows, and records it', async () => {
    const url = await fresh.url();
    const older = ofVersion(await fresh.open(url), notes);
    await migrate(older, silent);
    await older.db.insert(older.tables.notes).values({ body: 'kept' });
    const store = await fresh.open(url);
    const newer = ofVersion(store, longerNotes);
    await migrate(newer, silent);
    const [row] = await store.db.select().from(newer.tables.notes);
    expect(row).toEqual({
      id: 1,
      body: 'kept',
      title: null,
      pinned: false,
      rank: 7,
      tags: ["it's"],
      author: "o'hara",
    });
    expect((await changes(store)).slice(-6)).toEqual([
      'add column notes.title',
      'add column notes.pinned',
      'add column notes.rank',
      'add column notes.tags',
      'add column notes.author',
      'create index notes_title',
    ]);
  });

  it('lets an older version run: it ignores unknown columns and logs one warning', async () => {
    const store = await fresh.open();
    await migrate(ofVersion(store, longerNotes), silent);
    const recorded = await changes(store);
    const older = ofVersion(store, notes);
    const { warnings, log } = listening();
    await migrate(older, log);
    await store.db.insert(older.tables.notes).values({ body: 'from the older version' });
    expect(warnings).toEqual([
      { columns: ['notes.title', 'notes.pinned', 'notes.rank', 'notes.tags', 'notes.author'] },
    ]);
    expect(await changes(store)).toEqual(recorded);
  });

  it('repeats a change that somebody undid by hand', async () => {
    const store = await fresh.migrated();
    await store.batch(() => [sql`alter table servers drop column last_connected_at`]);
    await migrate(store, silent);
    expect((await changes(store)).at(-1)).toBe('add column servers.last_connected_at');
  });
});

describeEachStore('a change that cannot be made', (fresh) => {
  it('stops and names a column whose type differs, before anything is written', async () => {
    const store = await fresh.open();
    await store.batch(() => [sql`create table notes (id integer primary key, body integer)`]);
    await expect(migrate(ofVersion(store, notes), silent)).rejects.toThrow(
      'Cannot change column notes.body from integer to text: migrations only add columns',
    );
    expect([...(await introspect(store)).keys()]).toEqual(['notes']);
  });

  it('stops and names a new column that existing rows could not fill', async () => {
    const store = await fresh.open();
    await migrate(ofVersion(store, notes), silent);
    const demanding = (kit: Kit) =>
      kit.table('notes', { id: kit.id(), body: kit.text().notNull(), owner: kit.text().notNull() });
    await expect(migrate(ofVersion(store, demanding), silent)).rejects.toThrow(
      'Cannot add column notes.owner: existing rows would have no value for it',
    );
  });

  it('rolls back alone, is named, and leaves the earlier changes in place', async () => {
    const store = await fresh.open();
    const older = ofVersion(store, notes);
    await migrate(older, silent);
    await store.db.insert(older.tables.notes).values([{ body: 'twice' }, { body: 'twice' }]);
    const stricter = (kit: Kit) =>
      kit.table('notes', { id: kit.id(), body: kit.text().notNull(), title: kit.text() }, (row) => [
        kit.uniqueIndex('notes_body').on(row.body),
        kit.index('notes_title').on(row.title),
      ]);
    await expect(migrate(ofVersion(store, stricter), silent)).rejects.toMatchObject({
      name: 'MigrationFailed',
      change: 'create index notes_body',
      message: expect.stringMatching(/^Cannot create index notes_body: [^\n]+$/),
    });
    expect((await changes(store)).at(-1)).toBe('add column notes.title');
    expect((await introspect(store)).get('notes')?.indexes).not.toContain('notes_body');
  });

  it('is rolled back when it cannot be recorded', async () => {
    const store = await fresh.open();
    const batch: Store['batch'] = (build) => store.batch((db) => [...build(db), sql`select nothing`]);
    await expect(migrate({ ...store, batch }, silent)).rejects.toThrow(
      'Cannot create table schema_migrations',
    );
    expect((await introspect(store)).size).toBe(0);
  });
});

describeEachStore('an unreachable database', (fresh) => {
  it('is reported in one line when it is not a failed change', async () => {
    const store = await fresh.open();
    await store.close();
    await expect(migrate(store, silent)).rejects.toThrow(/^Cannot read the database: [^\n]+$/);
  });
});
