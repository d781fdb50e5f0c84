import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { migrate } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { startPostgres, type TestPostgres } from '../../support/databases/postgres.ts';
import { AT, LATER, LIMITS, serverRow } from '../../support/databases/rows.ts';
import { freshDatabaseUrl, silent } from '../../support/databases/stores.ts';

const hit = { key: 'a', now: AT, window_ends_at: LATER, latest_end: LATER };

/** How the promise ended, and after how long. */
async function outcome(promise: Promise<unknown>) {
  const start = performance.now();
  const ended = await promise.then(
    () => 'done',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );
  return { ended, ms: performance.now() - start };
}

/** The longest time that the event loop was blocked during the work. */
async function longestStall(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work.finally(() => clearInterval(timer));
  return longest;
}

describe('PostgreSQL under failure', () => {
  let server: TestPostgres;
  let store: Store;
  beforeAll(async () => {
    server = await startPostgres();
    store = openStore(server.url);
    await migrate(store, silent);
  }, 180_000);
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  /** Retries until the first success. */
  async function recovery(): Promise<number> {
    const { servers } = createRepositories(store);
    const start = performance.now();
    while ((await outcome(servers.list())).ended !== 'done') await sleep(20);
    return performance.now() - start;
  }

  beforeEach(async () => void (await recovery())); // of what the test before has done

  it('answers at the deadline when the server is frozen, and at once when it is back', async () => {
    const { servers, rate_limits } = createRepositories(store);
    await Promise.all(Array.from({ length: 20 }, () => servers.list()));
    server.freeze();
    try {
      const verbs = Array.from({ length: 40 }, () => outcome(servers.list()));
      for (const { ended, ms } of await Promise.all([...verbs, outcome(rate_limits.hit(hit))])) {
        expect(ended).toBe('database_unavailable');
        expect(ms).toBeLessThan(20_000); // the deadline, and what a busy machine adds
      }
    } finally {
      server.thaw();
    }
    await recovery();
  });

  it('answers at once while the server is known to be frozen', async () => {
    const { servers } = createRepositories(store);
    server.freeze();
    const asked = outcome(servers.list()); // its long wait starts the probe
    await expect
      .poll(async () => (await Promise.race([outcome(servers.list()), asked])).ms, { timeout: 9000 })
      .toBeLessThan(100);
    const { ended, ms } = await outcome(servers.list());
    server.thaw();
    expect(ended).toBe('database_unavailable');
    expect(ms).toBeLessThan(100);
    expect((await asked).ended).toBe('done'); // its statement had been sent
    await recovery();
  });

  it('never runs a statement that was still queued at the deadline', async () => {
    const { rate_limits } = createRepositories(store);
    const before = (await rate_limits.hit({ ...hit, key: 'line' })).count;
    server.freeze();
    const hits = Array.from({ length: 40 }, () => outcome(rate_limits.hit({ ...hit, key: 'line' })));
    await Promise.all(hits).finally(() => server.thaw());
    await recovery();
    const after = (await rate_limits.hit({ ...hit, key: 'line' })).count;
    expect(after - before - 1).toBeLessThanOrEqual(10); // The size of the pool.
  });

  it('answers quickly while the server is down, and within a second of its return', async () => {
    const { servers } = createRepositories(store);
    await Promise.all(Array.from({ length: 20 }, () => servers.list()));
    await server.halt();
    for (let round = 0; round < 3; round += 1) {
      const verbs = Array.from({ length: 50 }, () => outcome(servers.list()));
      for (const { ended, ms } of await Promise.all(verbs)) {
        expect(ended).toBe('database_unavailable');
        expect(ms).toBeLessThan(3_000);
      }
    }
    await server.restart();
    await recovery();
  });

  it('survives broken connections, even in transactions', async () => {
    const { servers } = createRepositories(store);
    const [a, b] = [await servers.insert(serverRow()), await servers.insert(serverRow())];
    const killer = postgres(server.url, { max: 1, onnotice: () => undefined });
    const ends = new Set<string>();
    const verbs = Array.from({ length: 300 }, async (_, i) => {
      await sleep(3 * i);
      const verb = i % 2 ? servers.update(a.id, { jump_via_id: b.id }, LIMITS) : servers.list();
      ends.add((await outcome(verb)).ended);
    });
    for (let i = 0; i < 15; i += 1) {
      await sleep(50);
      await killer`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'sallyport' and pid <> pg_backend_pid()`;
    }
    await Promise.all(verbs);
    await killer.end();
    expect([...ends].filter((end) => end !== 'done' && end !== 'database_unavailable')).toEqual([]);
    expect((await outcome(servers.list())).ended).toBe('done');
  });

  it('reads correctly after a statement that failed half-way', async () => {
    const { servers } = createRepositories(store);
    const { id } = await servers.insert(serverRow());
    const halfway = store.db.select({ n: sql`10 / (3 - i)` }).from(sql`generate_series(1, 5) as i`);
    await expect(halfway).rejects.toThrow();
    expect((await servers.byId(id))?.id).toBe(id);
    const inTransaction = store.inTurns('reading', async ({ db }) => {
      await db.select({ n: sql`10 / (3 - i)` }).from(sql`generate_series(1, 5) as i`);
    });
    await expect(inTransaction).rejects.toThrow();
    expect((await servers.byId(id))?.id).toBe(id);
  });

  it('answers correctly or not at all while statements are cancelled at random', async () => {
    const { servers } = createRepositories(store);
    const { id } = await servers.insert(serverRow({ name: 'kept' }));
    const killer = postgres(server.url, { max: 1, onnotice: () => undefined });
    const long = () =>
      store.db.select({ n: sql`repeat(md5(i::text), 20)` }).from(sql`generate_series(1, 4000) as i`);
    const ends = new Set<string>();
    let is_over = false;
    const readers = Array.from({ length: 20 }, async (_, i) => {
      while (!is_over) {
        if (i % 3 === 0) await long().then(undefined, () => undefined);
        const read = servers.byId(id).then((row) => assert(row?.name === 'kept', `read ${row?.name}`));
        ends.add((await outcome(read)).ended);
      }
    });
    for (let i = 0; i < 100; i += 1) {
      await killer.unsafe(`select ${i % 10 === 0 ? 'pg_terminate_backend' : 'pg_cancel_backend'}(pid)
        from pg_stat_activity where application_name = 'sallyport' and state = 'active' and pid <> pg_backend_pid()`);
      await sleep(3);
    }
    is_over = true;
    await Promise.all(readers);
    await killer.end();
    expect([...ends].sort()).toEqual(['database_unavailable', 'done']);
  });

  it('cancels only the statement that waits for a lock', async () => {
    const { servers } = createRepositories(store);
    const { id } = await servers.insert(serverRow());
    const holder = postgres(server.url, { max: 1 });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const locked = holder.begin(async (tx) => {
      await tx`select 1 from servers where id = ${id} for update`;
      await held;
    });
    await sleep(200);
    const waiting = outcome(servers.touchConnected(id, LATER));
    expect((await outcome(servers.list())).ended).toBe('done');
    expect((await waiting).ended).toBe('database_unavailable');
    release();
    await locked;
    await holder.end();
    await sleep(200);
    expect((await servers.byId(id))?.last_connected_at).toBeNull();
  });

  it('passes on an error that the database reports', async () => {
    const { servers } = createRepositories(store);
    const verb = servers.insert(serverRow({ jump_via_id: 9_999 }));
    await expect(verb).rejects.toMatchObject({ code: 'jump_host_unknown' });
    const twice = store.batch(() => [sql`select 1`, sql`select nothing`]);
    await expect(twice).rejects.toThrow('select nothing');
  });
});

describe('SQLite locked by another writer', () => {
  const undo: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function prepare() {
    const database = await freshDatabaseUrl('sqlite');
    undo.push(database.cleanup);
    const store = openStore(database.url);
    undo.push(() => store.close());
    const other = new Database(database.url);
    undo.push(() => void other.close());
    return { store, other, url: database.url };
  }

  it('is retried by repositories, batches and migrations without blocking the event loop', async () => {
    const { store, other } = await prepare();
    await migrate(store, silent);
    const { rate_limits } = createRepositories(store);
    other.exec('drop index rate_limits_window_ends_at'); // The migration has to add it again.
    other.exec('begin immediate');
    setTimeout(() => other.exec('commit'), 1_500);
    const window_ends_at = LATER;
    const work = Promise.all([
      ...Array.from({ length: 50 }, () => outcome(rate_limits.hit(hit))),
      outcome(
        store.batch((db) => [
          db.insert(store.tables.rate_limits).values({ key: 'b', count: 1, window_ends_at }),
        ]),
      ),
      outcome(migrate(store, silent)),
    ]);
    expect(await longestStall(work)).toBeLessThan(1_000); // Waiting inside a call would block for as long as the lock.
    for (const { ended, ms } of await work) {
      expect(ended).toBe('done');
      expect(ms).toBeGreaterThan(1_000);
    }
    expect((await rate_limits.hit(hit)).count).toBe(51);
  });

  it('is waited for no longer than the deadline', async () => {
    const { store, other } = await prepare();
    await migrate(store, silent);
    other.exec('begin immediate');
    const { ended, ms } = await outcome(createRepositories(store).rate_limits.hit(hit));
    other.exec('rollback');
    expect(ended).toBe('database_unavailable');
    expect(ms).toBeGreaterThan(9_000);
    expect(ms).toBeLessThan(20_000); // the deadline, and what a busy machine adds
  });

  it('lets another process boot while the file is being written', async () => {
    const { other, url } = await prepare();
    other.exec('begin immediate');
    const script = `
      const { openStore } = await import('#db/open-store.ts');
      const { migrate } = await import('#db/migrate/apply.ts');
      const store = openStore(process.argv[1]);
      await migrate(store, { debug() {}, info() {}, warn() {} });
      await store.close();`;
    const boot = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, url]);
    const ended = once(boot, 'exit');
    await sleep(3_000);
    other.exec('commit');
    expect((await ended)[0]).toBe(0);
  });
});

describe('A full disk', () => {
  it.each(['SQLITE_FULL', '53100'])('is reported as such (%s)', async (code) => {
    const { url, cleanup } = await freshDatabaseUrl('sqlite');
    const store = openStore(url);
    const full = () => {
      throw Object.assign(new Error('database or disk is full'), { code });
    };
    const { users } = createRepositories({ ...store, db: { ...store.db, update: full, select: full } });
    await expect(users.byId(1)).rejects.toMatchObject({ code: 'database_full', status: 507 });
    await store.close();
    await cleanup();
  });
});
