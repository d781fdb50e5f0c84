import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { is, SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { adviceOn } from './database-trouble.ts';
import { DatabaseUnusable } from './database-unusable.ts';
import { driverMessage } from './driver-errors.ts';
import { sqliteKit } from './kit/sqlite.ts';
import { NO_NOTICES } from './no-notices.ts';
import { patiently } from './patience.ts';
import { NO_RESERVE } from './reserve.ts';
import { defineSchema } from './schema/schema.ts';
import { createSqliteReserve } from './sqlite-reserve.ts';
import { publishStatement } from './statements.ts';
import { type Db, type LongTransaction, preparing, type Store } from './store.ts';
import { sqliteVersions } from './versions/sqlite.ts';

type SyncDatabase = BaseSQLiteDatabase<'sync', unknown>;

const OPEN_BUSY_MS = 5_000; // nothing is served yet, and the switch to WAL needs exclusive access

export interface OpenOptions {
  /** Creates and changes nothing; a missing file is an error. */
  readonly read_only?: boolean;
}

export function openSqlite(path: string, { read_only = false }: OpenOptions = {}): Store {
  const client = read_only ? openReader(path) : openClient(path);
  const database = drizzle(client, { logger: { logQuery: publishStatement } });
  const tables = defineSchema(sqliteKit);

  return {
    dialect: 'sqlite',
    db: toDb(database),
    tables,
    prepared: (build) => preparing(() => build(toDb(database))),
    batch: (build, patience_ms) =>
      patiently(() => inTransaction(database, (tx) => void runAll(tx, build(toDb(tx)))), patience_ms),
    batchReturning: (build) =>
      patiently(() =>
        inTransaction(database, (tx) => {
          const { first, last } = build(toDb(tx));
          runAll(tx, first);
          return last.all();
        }),
      ),
    together: (build) => patiently(() => inTransaction(database, (tx) => runAll(tx, build(toDb(tx))))),
    alone: async (_lock, build) => build(toDb(database)), // a single statement locks the whole file
    async inTurns(kind, work) {
      // A separate connection, so that concurrent writes do not join the transaction; an in-memory database has only one.
      const openAgain = read_only ? openReader : openClient;
      const own = path === ':memory:' ? client : openAgain(path);
      try {
        return await overTurns(own, kind, work);
      } finally {
        if (own !== client) own.close();
      }
    },
    server_versions: sqliteVersions(client, tables.servers),
    notices: NO_NOTICES,
    keepLargeIndexes: () => undefined, // its own suffice
    reserve: read_only || path === ':memory:' ? NO_RESERVE : createSqliteReserve(client, path),
    close: async () => {
      client.close();
    },
  };
}

function openClient(path: string): Database.Database {
  try {
    if (path !== ':memory:') makePrivateFile(path);
    const client = new Database(path, { timeout: OPEN_BUSY_MS });
    client.pragma('journal_mode = WAL');
    client.pragma('synchronous = NORMAL');
    client.pragma('foreign_keys = ON');
    client.pragma('cache_size = -65536'); // KiB; the indexes of a million audit entries do not fit into the default 16 MiB
    client.pragma('busy_timeout = 0'); // the driver would block the event loop while waiting; `patiently` does not
    return client;
  } catch (cause) {
    throw unusable('open', path, cause);
  }
}

function openReader(path: string): Database.Database {
  try {
    return new Database(path, { readonly: true, fileMustExist: true, timeout: OPEN_BUSY_MS });
  } catch (cause) {
    throw unusable('read', path, cause);
  }
}

function unusable(verb: 'open' | 'read', path: string, cause: unknown): DatabaseUnusable {
  const reason = driverMessage(cause) + adviceOn(cause);
  return new DatabaseUnusable(`Cannot ${verb} the database ${path}: ${reason}`, { cause });
}

function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600)); // the mode applies to a new file, and its WAL inherits it
}

function inTransaction<Result>(database: SyncDatabase, work: (tx: SyncDatabase) => Result): Result {
  // A transaction that starts with a read cannot wait for another writer.
  publishStatement('begin');
  const result = database.transaction(work, { behavior: 'immediate' });
  publishStatement('commit');
  return result;
}

/** Returns how many rows the last statement wrote. */
function runAll(tx: SyncDatabase, statements: ReturnType<Parameters<Store['batch']>[0]>): number {
  let written = 0;
  for (const statement of statements) {
    const result: unknown = is(statement, SQL) ? tx.run(statement) : statement.run();
    written = Number(Reflect.get(Object(result), 'changes'));
  }
  return written;
}

async function overTurns<Result>(
  client: Database.Database,
  kind: 'reading' | 'writing',
  work: (tx: LongTransaction) => Promise<Result>,
): Promise<Result> {
  const database = drizzle(client);
  client.exec(kind === 'writing' ? 'begin immediate' : 'begin');
  try {
    const run = async (statement: SQL) => void database.run(statement);
    const result = await work({ db: toDb(database), run });
    client.exec('commit');
    return result;
  } catch (error) {
    if (client.inTransaction) client.exec('rollback'); // after a full disk it has already ended
    throw error;
  }
}

/** Guarantee: the builders of this driver are synchronous but can be awaited. */
function toDb(database: SyncDatabase): Db {
  return database as unknown as Db;
}
