import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addLargeIndexes } from '#db/postgres-large-indexes.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';

const NAMES = [
  'audit_entries_listing',
  'audit_entries_search',
  'audit_entries_via',
  'recordings_listing',
  'recordings_search',
];

describe('A large table in PostgreSQL', () => {
  let database: FreshDatabase;
  let admin: postgres.Sql;
  beforeEach(async () => {
    database = await migratedDatabaseUrl('postgres');
    admin = postgres(database.url, { max: 1, onnotice: () => undefined });
  });
  afterEach(async () => {
    await admin.end();
    await database.cleanup();
  });

  /** What the statistics say; the next analysis corrects it. */
  const pretendLarge = () =>
    admin`update pg_class set reltuples = 1e6 where relname in ('audit_entries', 'recordings')`;

  async function added(): Promise<{ indexes: string[]; said: string[] }> {
    const said: string[] = [];
    const note = (_fields: object, message: string) => void said.push(message);
    await addLargeIndexes(admin, { info: note, warn: note });
    const rows = await admin<{ name: string }[]>`
      select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indisvalid and i.relname in ${admin(NAMES)} order by 1`;
    return { indexes: rows.map(({ name }) => name), said };
  }

  it('gets its indexes while the gateway runs, and says so; a small one gets none', async () => {
    expect(await added()).toEqual({ indexes: [], said: [] });
    await pretendLarge();
    const { indexes, said } = await added();
    expect(indexes).toEqual(NAMES);
    expect(said).toContain('Adding an index to a large table; the gateway goes on meanwhile');
    expect((await added()).said).toEqual([]);
  });

  it('gets an index again that was left unfinished', async () => {
    await admin`create index recordings_listing on recordings (started_at)`;
    await admin`update pg_index set indisvalid = false where indexrelid = 'recordings_listing'::regclass`;
    await pretendLarge();
    expect((await added()).indexes).toEqual(NAMES);
    const [{ definition } = { definition: '' }] = await admin<{ definition: string }[]>`
      select pg_get_indexdef('recordings_listing'::regclass) as definition`;
    expect(definition).toContain('(started_at, id, removed_at)');
  });

  it('goes without a search index where the extension may not be created, and says what to do', async () => {
    await pretendLarge();
    await admin`create role poor`;
    await admin`alter table audit_entries owner to poor`;
    await admin`alter table recordings owner to poor`;
    await admin`grant usage, create on schema public to poor`;
    await admin`set role poor`;
    const { indexes, said } = await added();
    await admin`reset role`;
    await admin`drop owned by poor cascade`.catch(() => undefined);
    expect(indexes).toEqual(NAMES.filter((name) => !name.endsWith('search')));
    expect(said.join()).toContain('create extension pg_trgm');
  });
});
