import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { is, SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { sqliteKit } from './kit/sqlite.ts';
import { defineSchema } from './schema/schema.ts';
import type { Db, Store } from './store.ts';

type SyncDatabase = BaseSQLiteDatabase<'sync', unknown>;

const BUSY_MS = 5_000; // how long to wait for another process that writes to the same file

export function openSqlite(path: string): Store {
  if (path !== ':memory:') makePrivateFile(path);
  const client = new Database(path, { timeout: BUSY_MS });
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = NORMAL');
  client.pragma('foreign_keys = ON');
  const database = drizzle(client);

  return {
    dialect: 'sqlite',
    db: toDb(database),
    tables: defineSchema(sqliteKit),
    batch: async (build) => runAll(database, build),
    close: async () => {
      client.close();
    },
  };
}

function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600)); // the mode is for a new file; its WAL takes the same
}

function runAll(database: SyncDatabase, build: Parameters<Store['batch']>[0]): void {
  database.transaction(
    (tx) => {
      for (const statement of build(toDb(tx))) is(statement, SQL) ? tx.run(statement) : statement.run();
    },
    // A transaction that began by reading could not wait for another writer.
    { behavior: 'immediate' },
  );
}

/** Guarantee: the builders of this driver work at once, and may be awaited all the same. */
function toDb(database: SyncDatabase): Db {
  return database as unknown as Db;
}
