import { is, SQL, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle, type RemoteCallback } from 'drizzle-orm/pg-proxy';
import postgres from 'postgres';
import { DatabaseUnusable } from './database-unusable.ts';
import { ConnectionLost, isConstraintViolation } from './driver-errors.ts';
import { postgresKit } from './kit/postgres.ts';
import { NO_NOTICES } from './no-notices.ts';
import { despiteConflicts, PATIENCE_MS } from './patience.ts';
import { listenForNotices, type NoticeLink, type NoticePorts } from './postgres-notices.ts';
import { createPostgresPool, type Link, type PostgresPool, type Run } from './postgres-pool.ts';
import { NO_RESERVE } from './reserve.ts';
import { CHANNEL } from './schema/notices.ts';
import { defineSchema } from './schema/schema.ts';
import { publishStatement } from './statements.ts';
import { type Db, preparing, type Statement, type Store } from './store.ts';
import { postgresVersions } from './versions/postgres.ts';

// Shorter than our own deadline, so that a healthy server cancels the statement itself.
const STATEMENT_TIMEOUT_MS = 8_000;
const CONNECT_TIMEOUT_S = 5;
const IDLE_TIMEOUT_S = 60; // firewalls silently drop idle connections after minutes
const RECONNECT_PAUSE_S = 0.1; // the driver's own backoff grows to 20 s
const LONG_MS = 5 * 60_000; // for a whole long transaction; each statement keeps its own timeout
const CLOSE_TIMEOUT_S = 5;

export function openPostgres(url: string): Store {
  return storeOver(connectPostgres(url), url);
}

/** Connects when it is first used. */
export function connectPostgres(url: string, most_connections?: number): PostgresPool {
  return createPostgresPool(() => connect(url), most_connections);
}

/** `url`: where to listen for notices; without it, nobody listens. */
export function storeOver(pool: PostgresPool, url?: string): Store {
  /** Uses a link, and another one after each conflict. */
  const use = <Result>(patience_ms: number, job: (link: Link, left_ms: number) => Promise<Result>) =>
    despiteConflicts(patience_ms, (left_ms) => pool.use(left_ms, (link) => job(link, left_ms)));
  const db = over((run) => use(PATIENCE_MS, (link) => link.run(run)));

  const tables = defineSchema(postgresKit);

  return {
    dialect: 'postgres',
    db: toDb(db),
    tables,
    prepared: (build) => preparing(() => build(toDb(db))),
    batch: (build, patience_ms = PATIENCE_MS) =>
      use(patience_ms, (link, left_ms) =>
        inTransaction(link, async (tx) => {
          await tx.execute(`set local statement_timeout = ${left_ms}`);
          await runAll(tx, build(toDb(tx)));
        }),
      ),
    async together(build) {
      const [row] = await db.execute<{ written: unknown }>(inOne(build(toDb(db))));
      return Number(row?.written);
    },
    batchReturning: (build) =>
      use(PATIENCE_MS, (link) =>
        inTransaction(link, async (tx) => {
          const { first, last } = build(toDb(tx));
          await runAll(tx, first);
          return await last;
        }),
      ),
    alone: (lock, build) =>
      use(PATIENCE_MS, (link) =>
        inTransaction(link, async (tx) => {
          // A separate statement, so that the next one sees what the previous lock holder wrote.
          await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${lock}))`);
          return await build(toDb(tx));
        }),
      ),
    // Without a retry: `work` may have done more than its statements.
    inTurns: (kind, work) =>
      pool.use(LONG_MS, (link) =>
        inTransaction(link, async (tx) => {
          if (kind === 'reading')
            await tx.execute('set transaction isolation level repeatable read, read only');
          return await work({ db: toDb(tx), run: async (statement) => void (await tx.execute(statement)) });
        }),
      ),
    server_versions: postgresVersions(toDb(db), tables.servers),
    notices:
      url === undefined ? NO_NOTICES : { listen: (ears) => listenForNotices(noticePorts(url, db), ears) },
    reserve: NO_RESERVE, // its disk is not ours
    close: () => pool.close(CLOSE_TIMEOUT_S),
  };
}

function noticePorts(url: string, db: Transaction): NoticePorts {
  return {
    connect: (watch) => connectListener(url, watch),
    send: async (text) => void (await db.execute(sql`select pg_notify(${CHANNEL}, ${text})`)),
  };
}

/** A database that executes its statements through `use`. */
function over(use: (run: Run<unknown[]>) => Promise<unknown[]>) {
  const send: RemoteCallback = async (text, values, method) => {
    const run: Run<unknown[]> = async (client) => {
      publishStatement(text);
      const statement = client.unsafe(text, values);
      return method === 'all' ? await statement.values() : await statement;
    };
    return { rows: await use(run) };
  };
  return drizzle(send);
}

type Transaction = ReturnType<typeof over>;

async function inTransaction<Result>(
  link: Link,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  await link.run(alone('begin'));
  const losses = link.losses();
  const assertKept = () => {
    // The driver would reconnect and continue outside the transaction.
    if (link.losses() !== losses) throw new ConnectionLost('The connection was lost during a transaction');
  };
  try {
    const send = async (run: Run<unknown[]>) => {
      assertKept();
      return await link.run(run);
    };
    const result = await work(over(send));
    assertKept();
    await link.run(alone('commit'));
    return result;
  } catch (error) {
    await link.run(alone('rollback')).catch(() => undefined); // a lost connection has already rolled back
    throw error;
  }
}

/** A `with` part that writes is executed once and completely, whether it is read or not. */
function inOne(statements: readonly Statement[]): SQL {
  const last = statements.length - 1;
  const parts = statements.map((statement, i) => {
    const text = is(statement, SQL) ? statement : statement.getSQL();
    return sql`${nameOf(i)} as (${text}${i === last ? sql` returning 1` : sql``})`;
  });
  return sql`with ${sql.join(parts, sql`, `)} select count(*) as written from ${nameOf(last)}`;
}

function nameOf(part: number): SQL {
  return sql`${sql.identifier(`part_${part}`)}`;
}

function alone(text: 'begin' | 'commit' | 'rollback'): Run<unknown> {
  return (client) => {
    publishStatement(text);
    return client.unsafe(text);
  };
}

async function runAll(tx: Transaction, statements: ReturnType<Parameters<Store['batch']>[0]>): Promise<void> {
  for (const statement of statements) await (is(statement, SQL) ? tx.execute(statement) : statement);
}

function connectListener(
  url: string,
  { notified, closed }: Parameters<NoticePorts['connect']>[0],
): NoticeLink {
  const client = postgres(url, {
    ...optionsOf(closed),
    idle_timeout: 0,
    ...{ onnotify: (channel: string, text: string) => (channel === CHANNEL ? notified(text) : undefined) },
  });
  return {
    listen: async () => void (await client.unsafe(`listen ${CHANNEL}`)),
    end: () => void client.end({ timeout: 0 }),
  };
}

function connect(url: string): Link {
  let lost = 0;
  const options = optionsOf(() => {
    lost += 1;
  });
  try {
    return toLink(postgres(url, options), () => lost);
  } catch {
    throw new DatabaseUnusable('The address of the PostgreSQL database is malformed'); // no cause: it contains the password
  }
}

function optionsOf(onclose: () => void) {
  const asItIs = { serialize: (value: unknown) => value, parse: (value: unknown) => value };
  return {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_S,
    idle_timeout: IDLE_TIMEOUT_S,
    max_lifetime: null, // it would end a connection between two statements of a transaction
    backoff: () => RECONNECT_PAUSE_S,
    fetch_types: false, // we use no array types, and the query would cost each connection a round trip
    onnotice: () => undefined,
    onclose,
    // The columns of the kit convert these two types themselves.
    types: {
      moment: { to: 1184, from: [1184], ...asItIs },
      json: { to: 3802, from: [3802], ...asItIs },
    },
    connection: {
      application_name: 'sallyport',
      DateStyle: 'ISO',
      TimeZone: 'UTC',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    },
  };
}

function toLink(client: postgres.Sql, losses: () => number): Link {
  let is_spoiled = false;
  return {
    async run(statement) {
      try {
        return await statement(client);
      } catch (error) {
        // PostgreSQL sends the rows of a write after it has checked all constraints.
        if (!isConstraintViolation(error)) is_spoiled = true;
        throw error;
      }
    },
    losses,
    is_spoiled: () => is_spoiled,
    end: (timeout) => client.end({ timeout }),
  };
}

/** Guarantee: `Db` exposes only builders that are the same in both dialects, on tables of `postgresKit`. */
function toDb(database: PgDatabase<PgQueryResultHKT>): Db {
  return database as unknown as Db;
}
