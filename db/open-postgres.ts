import { is, SQL, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import postgres from 'postgres';
import { DatabaseUnusable } from './database-unusable.ts';
import { isConstraintViolation } from './driver-errors.ts';
import { postgresKit } from './kit/postgres.ts';
import { NO_NOTICES } from './no-notices.ts';
import { PATIENCE_MS } from './patience.ts';
import { keepLargeIndexes } from './postgres-large-indexes.ts';
import { listenForNotices, type NoticeLink, type NoticePorts } from './postgres-notices.ts';
import { createPostgresPool, type Link, type PostgresPool } from './postgres-pool.ts';
import { inTransaction, type OpenTransaction, over, type Transaction } from './postgres-transaction.ts';
import { createPostgresWrites } from './postgres-writes.ts';
import { NO_RESERVE } from './reserve.ts';
import { CHANNEL } from './schema/notices.ts';
import { defineSchema } from './schema/schema.ts';
import { type Db, preparing, type Statement, type Store } from './store.ts';
import { postgresVersions } from './versions/postgres.ts';

// Shorter than our own deadline, so that a healthy server cancels the statement itself.
const STATEMENT_TIMEOUT_MS = 8_000;
const CONNECT_TIMEOUT_S = 5;
const IDLE_TIMEOUT_S = 60; // firewalls silently drop idle connections after minutes
const RECONNECT_PAUSE_S = 0.1; // the driver's own backoff grows to 20 s
const LONG_MS = 5 * 60_000; // for a whole long transaction; each statement keeps its own timeout
const CLOSE_TIMEOUT_S = 5;
const BEGIN_SNAPSHOT = 'begin isolation level repeatable read, read only';

export function openPostgres(url: string): Store {
  return storeOver(connectPostgres(url), url);
}

/** Connects when it is first used. */
export function connectPostgres(url: string, most_connections?: number): PostgresPool {
  return createPostgresPool(() => connect(url), most_connections);
}

/** `url`: where to listen for notices; without it, nobody listens. */
export function storeOver(pool: PostgresPool, url?: string): Store {
  const { alone, once, repeated } = createPostgresWrites(pool);
  const db = over((run, text) => {
    if (READS.test(text)) return pool.use(PATIENCE_MS, (link) => link.run(run));
    return LIGHT_WRITES.test(text) ? alone(PATIENCE_MS, run) : repeated(PATIENCE_MS, (tx) => tx.send(run));
  });

  const tables = defineSchema(postgresKit);
  let large_indexes: (() => void) | undefined;

  return {
    dialect: 'postgres',
    db: toDb(db),
    tables,
    prepared: (build) => preparing(() => build(toDb(db))),
    batch: (build, patience_ms = PATIENCE_MS) =>
      repeated(
        patience_ms,
        ({ tx }) => runAll(tx, build(toDb(tx))),
        (left_ms) => `set local statement_timeout = ${left_ms}`,
      ),
    async together(build) {
      const [row] = await db.execute<{ written: unknown }>(inOne(build(toDb(db))));
      return Number(row?.written);
    },
    batchReturning: (build) =>
      repeated(PATIENCE_MS, async ({ tx }) => {
        const { first, last } = build(toDb(tx));
        await runAll(tx, first);
        return await last;
      }),
    alone: (lock, build) =>
      repeated(
        PATIENCE_MS,
        async ({ tx }) => await build(toDb(tx)),
        // A separate statement, so that the next one sees what the previous lock holder wrote.
        () => `select pg_advisory_xact_lock(hashtext('${lock.replaceAll("'", "''")}'))`,
      ),
    inTurns(kind, work) {
      const all = ({ tx }: OpenTransaction) =>
        work({ db: toDb(tx), run: async (statement) => void (await tx.execute(statement)) });
      if (kind === 'writing') return once(LONG_MS, all);
      return pool.use(LONG_MS, (link) => inTransaction(link, BEGIN_SNAPSHOT, all));
    },
    server_versions: postgresVersions(toDb(db), tables.servers),
    notices:
      url === undefined ? NO_NOTICES : { listen: (ears) => listenForNotices(noticePorts(url, db), ears) },
    reserve: NO_RESERVE, // its disk is not ours
    keepLargeIndexes(log) {
      if (url !== undefined) large_indexes ??= keepLargeIndexes(() => connectForHours(url), log);
    },
    async close() {
      large_indexes?.();
      await pool.close(CLOSE_TIMEOUT_S);
    },
  };
}

function noticePorts(url: string, db: Transaction): NoticePorts {
  return {
    connect: (watch) => connectListener(url, watch),
    send: async (text) => void (await db.execute(sql`select pg_notify(${CHANNEL}, ${text})`)),
  };
}

/** Everything else may write. */
const READS = /^\s*\(*select\b/i;

/**
 * Sent as a single statement: nobody asks again for their outcome. A caller asks for a new ticket, a job runs again, and the
 * writer of the audit log (`with`) looks for itself.
 */
const LIGHT_WRITES = new RegExp(
  `^(with |(insert into|update|delete from) "(${[
    ...['rate_limits', 'lockouts', 'tickets', 'api_key_tickets', 'pending_sign_ins', 'terminal_sessions'],
    ...['instances', 'monitor_lease', 'server_statuses', 'server_status_head', 'samples', 'holds', 'uploads'],
  ].join('|')})"|(insert into|update) "sessions"|update "servers" set "(last_connected_at|key_exchange)")`,
);

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

/** Without a statement timeout. */
function connectForHours(url: string): postgres.Sql {
  const options = optionsOf(() => undefined);
  return postgres(url, { ...options, connection: { ...options.connection, statement_timeout: 0 } });
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
