import { eq, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { AT, LATER } from '../../support/databases/rows.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';

const hit = (key: string) => ({ key, now: AT, window_ends_at: LATER, latest_end: LATER });

describe('PostgreSQL with concurrent transactions', () => {
  let database: FreshDatabase;
  let store: Store;
  let other: postgres.Sql;
  beforeEach(async () => {
    database = await migratedDatabaseUrl('postgres');
    other = postgres(database.url, { max: 2, onnotice: () => undefined });
  });
  afterEach(async () => {
    await store.close();
    await other.end();
    await database.cleanup();
  });

  /** With a counter for each key. */
  async function prepare(...keys: string[]): Promise<void> {
    store = openStore(database.url);
    for (const key of keys)
      await store.db.insert(store.tables.rate_limits).values({ key, count: 1, window_ends_at: LATER });
  }

  async function counts(): Promise<Record<string, number>> {
    const rows = await store.db.select().from(store.tables.rate_limits);
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
  }

  const untilItWaits = () =>
    expect
      .poll(
        () => other`select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'sallyport' and wait_event_type = 'Lock'`,
      )
      .toHaveLength(1);

  const adding = (key: string, by: number) =>
    sql`update rate_limits set count = count + ${by} where key = ${key}`;

  it('repeats a statement that could not be serialized', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await other.unsafe(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    await prepare('a');
    let hits: Promise<unknown> | undefined;
    await other.begin(async (tx) => {
      await tx`update rate_limits set count = 10 where key = 'a'`;
      const { rate_limits } = store.tables;
      hits = Promise.resolve(
        store.db
          .update(rate_limits)
          .set({ count: sql`${rate_limits.count} + 1` })
          .where(eq(rate_limits.key, 'a')),
      );
      hits.catch(() => undefined);
      await untilItWaits();
    });
    await hits;
    expect(await counts()).toEqual({ a: 11 });
  });

  it('repeats a whole transaction that was ended because of a deadlock', async () => {
    await prepare('a', 'b');
    let batch: Promise<unknown> | undefined;
    await other.begin(async (tx) => {
      await tx`set local deadlock_timeout = '1min'`; // so that the other one is ended
      await tx`update rate_limits set count = count + 10 where key = 'b'`;
      batch = store.batch(() => [adding('a', 1), adding('b', 1)]);
      batch.catch(() => undefined);
      await untilItWaits();
      await tx`update rate_limits set count = count + 10 where key = 'a'`;
    });
    await batch;
    expect(await counts()).toEqual({ a: 12, b: 12 });
  });

  describe('that conflict each time', () => {
    beforeEach(async () => {
      await prepare();
      await other.unsafe(`create sequence tries;
        create function conflict() returns trigger language plpgsql as $$ begin
          perform nextval('tries');
          raise exception 'could not serialize access' using errcode = '40001';
        end $$;
        create trigger conflict before insert on rate_limits for each row execute function conflict();`);
    });
    const tries = async () => Number((await other`select last_value from tries`)[0]?.['last_value']);

    it('refuses with database_unavailable after a few tries', async () => {
      const { rate_limits } = createRepositories(store);
      await expect(rate_limits.hit(hit('a'))).rejects.toMatchObject({
        code: 'database_unavailable',
        status: 503,
      });
      expect(await tries()).toBe(6);
    });

    it('does not repeat long work, which may have done more than its statements', async () => {
      let runs = 0;
      const work = store.inTurns('writing', async ({ db }) => {
        runs += 1;
        await db.insert(store.tables.rate_limits).values({ key: 'a', count: 1, window_ends_at: LATER });
      });
      await expect(work).rejects.toThrow();
      expect([runs, await tries()]).toEqual([1, 1]);
    });
  });
});
