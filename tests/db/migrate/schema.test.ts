import Database from 'better-sqlite3';
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { postgresKit } from '#db/kit/postgres.ts';
import { sqliteKit } from '#db/kit/sqlite.ts';
import { migrate } from '#db/migrate/apply.ts';
import { type ColumnSpec, describeTables } from '#db/migrate/describe.ts';
import { openStore } from '#db/open-store.ts';
import { SQLITE_EXTRAS } from '#db/schema/extras.ts';
import { defineSchema } from '#db/schema/schema.ts';
import type { Dialect } from '#db/store.ts';
import { RELEASED } from '../../support/databases/released.ts';
import { DIALECTS, freshDatabaseUrl, silent } from '../../support/databases/stores.ts';

const kits = { sqlite: sqliteKit, postgres: postgresKit };

const releases = Object.values(RELEASED);

function currentColumns(dialect: Dialect): Map<string, ColumnSpec> {
  const tables = describeTables(defineSchema(kits[dialect]));
  return new Map(
    tables.flatMap(({ name, columns }) => columns.map((column) => [`${name}.${column.name}`, column])),
  );
}

function releasedColumns(dialect: Dialect): Map<string, string> {
  const tables = releases.flatMap((release) => Object.entries(release));
  return new Map(
    tables.flatMap(([table, columns]) =>
      Object.entries(columns).map(([name, spelling]) => [`${table}.${name}`, spelling[dialect]]),
    ),
  );
}

describe.each(DIALECTS)('released.json (%s)', (dialect) => {
  it('lists nothing that the schema has dropped, renamed or retyped', () => {
    const current = currentColumns(dialect);
    const spelled = [...releasedColumns(dialect).keys()].map((name) => {
      const column = current.get(name);
      return [name, column && `${column.type}${column.not_null ? ' not null' : ''}`];
    });
    expect(Object.fromEntries(spelled)).toEqual(Object.fromEntries(releasedColumns(dialect)));
  });

  it('contains every column of a released table that older rows and versions could not fill', () => {
    const known = releasedColumns(dialect);
    const tables = new Set(releases.flatMap((release) => Object.keys(release)));
    const added = [...currentColumns(dialect)].filter(
      ([name]) => !known.has(name) && tables.has(name.split('.')[0] ?? ''),
    );
    const demanding = added.filter(([, column]) => column.not_null && !column.has_default);
    expect(demanding.map(([name]) => name)).toEqual([]);
  });
});

describe('the planner builds what drizzle-kit would build', () => {
  const undo: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function freshUrl(dialect: Dialect): Promise<string> {
    const database = await freshDatabaseUrl(dialect);
    undo.push(database.cleanup);
    return database.url;
  }

  async function migratedUrl(dialect: Dialect): Promise<string> {
    const url = await freshUrl(dialect);
    const store = openStore(url);
    await migrate(store, silent);
    await store.close();
    return url;
  }

  it('on SQLite', async () => {
    const tables = defineSchema(sqliteKit);
    const reference = new Database(await freshUrl('sqlite'));
    const none = await generateSQLiteDrizzleJson({});
    for (const statement of await generateSQLiteMigration(none, await generateSQLiteDrizzleJson(tables))) {
      reference.exec(statement);
    }
    const ours = new Database(await migratedUrl('sqlite'));
    expect(sqliteCatalogue(ours)).toEqual(sqliteCatalogue(reference));
    ours.close();
    reference.close();
  });

  it('on PostgreSQL', async () => {
    const tables = defineSchema(postgresKit);
    const reference = postgres(await freshUrl('postgres'), { max: 1 });
    for (const statement of await generateMigration(generateDrizzleJson({}), generateDrizzleJson(tables))) {
      await reference.unsafe(statement);
    }
    const ours = postgres(await migratedUrl('postgres'), { max: 1 });
    expect(await postgresCatalogue(ours)).toEqual(await postgresCatalogue(reference));
    await ours.end();
    await reference.end();
  });
});

function sqliteCatalogue(client: Database.Database): unknown {
  // Without the search index, its own tables, and indexes with a condition, which drizzle-kit does not know.
  const extras = new Set(Object.values(SQLITE_EXTRAS).flatMap((some) => some.map(({ name }) => name)));
  const tables = client
    .prepare("select name from pragma_table_list where schema = 'main' and type = 'table' order by name")
    .pluck();
  const about = (pragma: string, name: unknown) => client.prepare(`select * from ${pragma}(?)`).all(name);
  const indexes = client.prepare(
    "select name, tbl_name from sqlite_master where type = 'index' order by name",
  );
  const isPlain = (row: unknown) => !extras.has(Object(row).name);
  return {
    tables: tables
      .all()
      .map((name) => [name, about('pragma_table_xinfo', name), about('pragma_foreign_key_list', name)]),
    indexes: indexes.all().filter(isPlain),
    unique: client
      .prepare(
        `select il.name, il."unique", ii.name as "column" from sqlite_master m
         join pragma_index_list(m.name) il join pragma_index_info(il.name) ii
         where m.type = 'table' and m.name not like 'audit\\_search%' escape '\\' order by 1, 3`,
      )
      .all()
      .filter(isPlain),
  };
}

async function postgresCatalogue(client: postgres.Sql): Promise<unknown> {
  return {
    columns: await client`
      select table_name, column_name, ordinal_position, data_type, is_nullable, column_default, is_identity,
        identity_generation, identity_start, identity_maximum, identity_increment
      from information_schema.columns where table_schema = 'public' order by 1, 3`,
    indexes: await client`select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`,
    constraints: await client`
      select conrelid::regclass::text as "table", conname, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    sequences: await client`select sequencename, data_type from pg_sequences order by 1`,
  };
}
