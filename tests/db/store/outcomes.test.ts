import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { forgetfulProxy } from '../../support/databases/postgres-proxy.ts';
import { snippetRow, userRow } from '../../support/databases/rows.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { auditInstance, auditRecord, auditRows } from '../../support/features/audit.ts';

const MOST = 1000;

describe('The outcome of a write to PostgreSQL', () => {
  let database: FreshDatabase;
  let other: postgres.Sql;
  const stores: Store[] = [];
  beforeEach(async () => {
    database = await migratedDatabaseUrl('postgres');
    other = postgres(database.url, { max: 2, onnotice: () => undefined });
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await other.end();
    await database.cleanup();
  });

  function open(url: string) {
    const store = openStore(url);
    stores.push(store);
    return { store, ...createRepositories(store) };
  }

  const end = (how: 'pg_cancel_backend' | 'pg_terminate_backend') =>
    other.unsafe(`select ${how}(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'sallyport' and wait_event_type = 'Lock'`);

  it.each(['pg_cancel_backend', 'pg_terminate_backend'] as const)(
    'is the same after %s during the write, which is repeated',
    async (how) => {
      const { users, snippets } = open(database.url);
      const { id: user_id } = await users.insert(userRow());
      const { id } = await snippets.insert(snippetRow(user_id), MOST);
      let removed: Promise<boolean> | undefined;
      await other.begin(async (tx) => {
        await tx`select 1 from snippets where id = ${id} for update`;
        removed = snippets.remove(id);
        removed.catch(() => undefined);
        for (let ended = 0; ended < 3; ) ended += (await end(how)).length;
      });
      expect(await removed).toBe(true);
      expect(await snippets.byId(id)).toBeUndefined();
    },
  );

  it('is learnt from the database when the answer to its commit is lost', async () => {
    const proxy = await forgetfulProxy(database.url);
    const { users, snippets, api_keys } = open(proxy.url);
    proxy.lose();
    const user = await users.insert(userRow());
    proxy.lose();
    const { id } = await snippets.insert(snippetRow(user.id), MOST);
    proxy.lose();
    expect(await snippets.update(id, { name: 'new' })).toMatchObject({ name: 'new' });
    proxy.lose();
    expect(await snippets.remove(id)).toBe(true);
    proxy.lose();
    expect(await snippets.remove(id)).toBe(false);
    expect(await api_keys.ofUser(user.id)).toEqual([]);
    expect((await users.list()).length).toBe(1);
    expect(proxy.losses()).toBe(5);
  });

  it('of several statements, and of an audit entry, is learnt as well, and none is stored twice', async () => {
    const proxy = await forgetfulProxy(database.url);
    const { store } = open(proxy.url);
    const instance = await auditInstance(store);
    await instance.append(auditRecord({ detail: 'first' }));
    proxy.lose('SELECT'); // how PostgreSQL answers several writes in one statement
    await instance.append(auditRecord({ detail: 'second' }));
    proxy.lose();
    await store.batch((db) => [
      db
        .insert(store.tables.rate_limits)
        .values({ key: 'a', count: 1, window_ends_at: new Date().toISOString() }),
      sql`update rate_limits set count = count + 1`,
    ]);
    expect((await auditRows(store)).map(({ detail }) => detail)).toEqual(['first', 'second']);
    expect(await store.db.select().from(store.tables.rate_limits)).toMatchObject([{ count: 2 }]);
    expect(proxy.losses()).toBe(2);
  });

  it('is known while statements are cancelled and connections ended at random', async () => {
    const { users, snippets } = open(database.url);
    const { id: user_id } = await users.insert(userRow());
    let is_over = false;
    const killing = (async () => {
      for (let round = 0; !is_over; round += 1) {
        const how = round % 5 === 0 ? 'pg_terminate_backend' : 'pg_cancel_backend';
        await other.unsafe(`select ${how}(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'sallyport' and state <> 'idle'
          order by random() limit 1`);
        await other`select pg_sleep(0.01)`;
      }
    })();
    const stillThere = async (id: number) => {
      for (;;) {
        const row = await snippets.byId(id).catch(() => null);
        if (row !== null) return row !== undefined;
      }
    };
    const work = Array.from({ length: 6 }, async () => {
      for (let n = 0; n < 8; n += 1) {
        const row = await snippets.insert(snippetRow(user_id), MOST).catch(fateOf);
        if (typeof row === 'string') continue;
        const removed = await snippets.remove(row.id).catch(fateOf);
        expect(removed).not.toBe(false);
        if (removed !== 'unknown') expect(await stillThere(row.id)).toBe(removed === 'undone');
      }
    });
    await Promise.all(work).finally(() => {
      is_over = true;
    });
    await killing;
  });
});

/** What the error says of the write; on a machine that is busy, the database may not answer in time. */
function fateOf(error: unknown): 'undone' | 'unknown' {
  if (!(error instanceof Fault) || error.code !== 'database_unavailable') throw error;
  return error.options.is_undone ? 'undone' : 'unknown';
}
