import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { migrate } from '#db/migrate/apply.ts';
import { introspect } from '#db/migrate/introspect.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { firstUser, userRow } from '../../support/databases/rows.ts';
import { freshDatabaseUrl, silent } from '../../support/databases/stores.ts';

describe('a PostgreSQL schema other than public', () => {
  const undo: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  /** A database whose `public` schema holds another program's tables of the same names. */
  async function sharedDatabase(): Promise<string> {
    const { url, cleanup } = await freshDatabaseUrl('postgres');
    undo.push(cleanup);
    const sql = postgres(url, { max: 1 });
    await sql`create table public.users (id text, nickname text)`;
    await sql`create table public.schema_migrations (version text)`;
    await sql`create schema "Gate Way"`;
    await sql.end();
    return url;
  }

  async function openIn(url: string, search_path: string): Promise<Store> {
    const inSchema = new URL(url);
    inSchema.searchParams.set('search_path', search_path);
    const store = openStore(inSchema.href);
    undo.push(store.close);
    return store;
  }

  it('holds all tables, whatever public contains', async () => {
    const store = await openIn(await sharedDatabase(), '"Gate Way", public');
    const warnings: object[] = [];
    await migrate(store, { ...silent, warn: (fields) => warnings.push(fields) });
    expect(warnings).toEqual([]);
    expect([...(await introspect(store)).keys()].sort()).toEqual(Object.keys(store.tables).sort());
    expect(await firstUser(createRepositories(store))).toEqual({
      id: 1,
      ...userRow(),
      is_default_admin: true,
    });
    const again = { ...store, batch: () => Promise.reject(new Error('written to')) };
    await migrate(again, silent);
  });

  it('stops and names the column when public belongs to another program', async () => {
    const store = await openIn(await sharedDatabase(), 'public');
    await expect(migrate(store, silent)).rejects.toThrow(
      'Cannot add column schema_migrations.id: existing rows would have no value for it',
    );
  });

  it('stops and names the first table when the schema does not exist', async () => {
    const store = await openIn(await sharedDatabase(), 'nowhere');
    await expect(migrate(store, silent)).rejects.toThrow('Cannot create table schema_migrations');
  });
});
