import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORMAT } from '#db/migrate/format.ts';
import { openStore } from '#db/open-store.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { runHere } from '../../support/gateway/command.ts';
import { SECRET_KEY } from '../../support/gateway/gateway.ts';

describe.each(DIALECTS)(
  'A database that a newer version has made unreadable for this one (%s)',
  (dialect) => {
    let database: FreshDatabase;
    beforeAll(async () => {
      database = await migratedDatabaseUrl(dialect);
      const { db, tables, close } = openStore(database.url);
      await db.insert(tables.database_format).values({ id: 1, format: FORMAT + 1, version: '9.1.0' });
      await close();
    });
    afterAll(() => database?.cleanup());

    it.each([
      ['the gateway', []],
      ['a command', ['audit', 'verify']],
    ])('stops %s with one line that says what to do', async (_what, args) => {
      const env = { SERVICE_DB_URL: database.url, SERVICE_SECRET_KEY: SECRET_KEY, SERVICE_PORT: '0' };
      const { code, stderr } = await runHere(args, env);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Sallyport 9\.1\.0 has changed this database .*start that version.*\n$/);
    });
  },
);
