import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eq, sql } from 'drizzle-orm';
import { afterAll, describe, expect, it } from 'vitest';
import { adviceOn } from '#db/database-trouble.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { migrate } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import { describeEachStore, silent } from '../../support/databases/stores.ts';

const ends = '2026-01-02T03:04:05.678Z';

describeEachStore('batch', (fresh) => {
  it('runs all statements', async () => {
    const store = await fresh.migrated();
    const { rate_limits } = store.tables;
    await store.batch((db) => [
      db.insert(rate_limits).values({ key: 'a', count: 1, window_ends_at: ends }),
      db.update(rate_limits).set({ count: 2 }).where(eq(rate_limits.key, 'a')),
      sql`insert into rate_limits (key, count, window_ends_at) values ('b', 3, ${ends})`,
    ]);
    const rows = await store.db.select().from(rate_limits).orderBy(rate_limits.key);
    expect(rows.map(({ count }) => count)).toEqual([2, 3]);
  });

  it('rolls all of them back when one fails', async () => {
    const store = await fresh.migrated();
    const { rate_limits } = store.tables;
    const row = { key: 'same', count: 1, window_ends_at: ends };
    const twice = store.batch((db) => [
      db.insert(rate_limits).values(row),
      db.insert(rate_limits).values(row),
    ]);
    await expect(twice).rejects.toThrow();
    expect(await store.db.select().from(rate_limits)).toEqual([]);
  });

  it('leaves the store usable when the statements cannot even be built', async () => {
    const store = await fresh.migrated();
    const broken = store.batch(() => {
      throw new Error('not built');
    });
    await expect(broken).rejects.toThrow('not built');
    await store.batch((db) => [
      db.insert(store.tables.rate_limits).values({ key: 'a', count: 1, window_ends_at: ends }),
    ]);
    expect(await store.db.select().from(store.tables.rate_limits)).toHaveLength(1);
  });
});

describeEachStore('together', (fresh) => {
  it('runs all statements and returns how many rows the last one wrote', async () => {
    const store = await fresh.migrated();
    const { rate_limits } = store.tables;
    const written = await store.together((db) => [
      db.insert(rate_limits).values({ key: 'a', count: 1, window_ends_at: ends }),
      sql`insert into rate_limits (key, count, window_ends_at) values ('b', 2, ${ends}), ('c', 3, ${ends})`,
    ]);
    expect(written).toBe(2);
    const nothing = await store.together((db) => [
      db.insert(rate_limits).values({ key: 'd', count: 4, window_ends_at: ends }),
      db.update(rate_limits).set({ count: 5 }).where(eq(rate_limits.key, 'unknown')),
    ]);
    expect(nothing).toBe(0);
    const rows = await store.db.select().from(rate_limits).orderBy(rate_limits.key);
    expect(rows.map(({ count }) => count)).toEqual([1, 2, 3, 4]);
  });

  it('runs none of them when one fails', async () => {
    const store = await fresh.migrated();
    const { rate_limits } = store.tables;
    const row = { key: 'same', count: 1, window_ends_at: ends };
    await store.db.insert(rate_limits).values(row);
    const broken = store.together((db) => [
      db.insert(rate_limits).values({ ...row, key: 'other' }),
      db.insert(rate_limits).values(row),
    ]);
    await expect(broken).rejects.toThrow();
    expect(await store.db.select().from(rate_limits)).toEqual([row]);
  });
});

describeEachStore('values', (fresh) => {
  it('returns a time in the format of toISOString', async () => {
    const store = await fresh.migrated();
    const { rate_limits } = store.tables;
    const moments = [new Date().toISOString(), '1970-01-01T00:00:00.000Z', '2038-01-19T03:14:08.001Z', ends];
    for (const [i, window_ends_at] of moments.entries()) {
      const [row] = await store.db
        .insert(rate_limits)
        .values({ key: String(i), count: 0, window_ends_at })
        .returning();
      expect(row?.window_ends_at).toBe(window_ends_at);
    }
  });

  it('compares times, however they were written', async () => {
    const store = await fresh.migrated();
    const { rate_limits } = store.tables;
    const window_ends_at = '2026-01-02T03:04:05Z';
    await store.db.insert(rate_limits).values({ key: 'a', count: 1, window_ends_at });
    const same = eq(rate_limits.window_ends_at, '2026-01-02T05:04:05.000+02:00');
    const [row] = await store.db.select().from(rate_limits).where(same);
    expect(row?.window_ends_at).toBe('2026-01-02T03:04:05.000Z');
  });

  it('stores any text, with U+FFFD for NUL', async () => {
    const store = await fresh.migrated();
    const { rate_limits } = store.tables;
    for (const key of ['o\'hara \\ "x" $1 ? %', 'ÄÖÜ 漢字 🔑', '\u0001\t\n', '']) {
      const [row] = await store.db
        .insert(rate_limits)
        .values({ key, count: 1, window_ends_at: ends })
        .returning();
      expect(row?.key).toBe(key);
    }
    await store.db.insert(rate_limits).values({ key: 'a\0b', count: 1, window_ends_at: ends });
    const [found] = await store.db.select().from(rate_limits).where(eq(rate_limits.key, 'a\0b'));
    expect(found?.key).toBe('a\uFFFDb');
  });
});

describe('openStore', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-open-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('creates the parent folder and a file that only its owner can read', async () => {
    const path = join(folder, 'a', 'b', 'sallyport.db');
    const store = openStore(path);
    await migrate(store, silent);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'a')).mode & 0o077).toBe(0);
    await store.close();
  });

  it('accepts a file URL, and SQLite’s form of one', async () => {
    const path = join(folder, 'with space.db');
    for (const url of [pathToFileURL(path).href, `file:${encodeURI(path)}`]) {
      const store = openStore(url);
      await migrate(store, silent);
      await store.close();
    }
    const store = openStore(path);
    expect(await store.db.select().from(store.tables.schema_migrations)).not.toEqual([]);
    await store.close();
  });

  it('opens a database in memory', async () => {
    const store = openStore(':memory:');
    await migrate(store, silent);
    expect(await store.db.select().from(store.tables.users)).toEqual([]);
    await store.close();
  });

  it('enforces foreign keys and uses write-ahead logging', async () => {
    const store = openStore(join(folder, 'pragmas.db'));
    const read = (pragma: string) =>
      store.db.select({ value: sql<unknown>`*` }).from(sql.raw(`pragma_${pragma}`));
    expect(await read('foreign_keys')).toEqual([{ value: 1 }]);
    expect(await read('journal_mode')).toEqual([{ value: 'wal' }]);
    await store.close();
  });

  it('names an unknown kind of database without the password in its URL', () => {
    const failure = () => openStore('mysql://root:secret@host/db');
    expect(failure).toThrow(DatabaseUnusable);
    expect(failure).toThrow(/^Unknown kind of database: mysql$/);
  });

  it('does not quote a malformed URL', () => {
    for (const url of ['postgres://root:secret@host:port/db', 'postgres://root:s#cret@[x/x']) {
      expect(() => openStore(url)).toThrow(DatabaseUnusable);
      expect(() => openStore(url)).toThrow(/^The address of the PostgreSQL database is malformed$/);
    }
  });

  it.each([
    ['a directory', () => folder, /directory/],
    ['below a file', () => join(emptyFile('file'), 'sallyport.db'), /EEXIST|ENOTDIR/],
    ['no database', () => corruptFile('corrupt.db'), /not a database/],
    ['a URL of another machine', () => 'file://elsewhere/sallyport.db', /host/],
    ['a URL that is misspelled', () => 'file:%zz.db', /malformed/],
  ])('says in one line why it cannot open %s', (_what, path, reason) => {
    const failure = () => openStore(path());
    expect(failure).toThrow(DatabaseUnusable);
    expect(failure).toThrow(/^Cannot open the database [^\n]+: [^\n]+$/);
    expect(failure).toThrow(reason);
  });

  it.each([
    ['SQLITE_READONLY', /read-only.*able to read and write/],
    ['SQLITE_READONLY_DBMOVED', /moved or replaced/],
    ['SQLITE_IOERR_SHORT_READ', /cut short/],
    ['SQLITE_CANTOPEN', /able to read and write/],
    ['EROFS', /another directory/],
    ['SQLITE_CONSTRAINT', /^$/],
  ])('says what to do about a file with the error %s', (code, advice) => {
    expect(adviceOn(Object.assign(new Error('It failed'), { code }))).toMatch(advice);
  });

  it.each([
    ['refuses connections', 'postgres://u:secret@127.0.0.1:1/x'],
    ['has a host that does not exist', 'postgres://u:secret@nowhere.invalid/x'],
  ])('says in one line that a server %s, at the first boot', async (_what, url) => {
    const store = openStore(url);
    const failure: unknown = await migrate(store, silent).catch((error) => error);
    await store.close();
    expect(failure).toBeInstanceOf(DatabaseUnusable);
    expect(String(failure)).toMatch(/^MigrationFailed: Cannot read the database: [^\n]+$/);
    expect(String(failure)).not.toContain('secret');
  });

  it('says in one line which change a read-only database lacks', async () => {
    const store = openStore(join(folder, 'read-only.db'));
    await store.batch(() => [sql`pragma query_only = 1`]);
    await expect(migrate(store, silent)).rejects.toThrow(
      /^Cannot create table schema_migrations: attempt to write a readonly database\. The file is read-only\. [^\n]+$/,
    );
    await store.close();
  });

  function emptyFile(name: string): string {
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  }

  function corruptFile(name: string): string {
    writeFileSync(join(folder, name), Buffer.alloc(8192, 'A'));
    return join(folder, name);
  }
});
