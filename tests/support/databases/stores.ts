import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, describe } from 'vitest';
import { migrate } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import type { Dialect, Store } from '#db/store.ts';
import { IS_BALANCED } from '../gateway/is-balanced.ts';
import { quickFolder } from './quick-folder.ts';

export interface FreshDatabase {
  readonly url: string;
  /** Close everything that uses the database first. */
  cleanup(): Promise<void>;
}

export interface Fresh {
  readonly dialect: Dialect;
  /** An empty database, removed after the test. */
  url(): Promise<string>;
  /** A database with all tables, removed after the test. */
  migratedUrl(): Promise<string>;
  /** A store on an empty database, or on the given one; closed after the test. */
  open(url?: string): Promise<Store>;
  /** Like `open`, with all tables. */
  migrated(url?: string): Promise<Store>;
}

/** Several instances share PostgreSQL only. */
export const DIALECTS: readonly Dialect[] = IS_BALANCED ? ['postgres'] : ['sqlite', 'postgres'];

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Runs the same tests on each database. */
export function describeEachStore(name: string, body: (fresh: Fresh) => void): void {
  describe.each(DIALECTS)(`${name} (%s)`, (dialect) => body(createFresh(dialect)));
}

/** An empty, unshared database, as a value for `SERVICE_DB_URL`. */
export function freshDatabaseUrl(dialect: Dialect): Promise<FreshDatabase> {
  return dialect === 'sqlite' ? freshFile() : freshPostgres();
}

/** Writes a SQLite database with all tables to this path. */
export async function placeMigratedFile(path: string): Promise<void> {
  writeFileSync(path, await sqliteModel());
}

/** Like `freshDatabaseUrl`, with all tables: a copy of a database that was migrated once for this process. */
export async function migratedDatabaseUrl(dialect: Dialect): Promise<FreshDatabase> {
  return dialect === 'sqlite' ? freshFile(await sqliteModel()) : freshPostgres(await postgresModel());
}

const sqliteModel = once(async () => {
  const { url, cleanup } = await freshFile();
  await migrateAll(url);
  const model = readFileSync(url);
  await cleanup();
  return model;
});

/** The template database's name. Nobody connects to it, or PostgreSQL could not copy it. */
const postgresModel = once(async () => {
  const { url } = await freshPostgres();
  await migrateAll(url);
  return new URL(url).pathname.slice(1);
});

async function migrateAll(url: string): Promise<void> {
  const store = openStore(url);
  await migrate(store, silent).finally(store.close);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function createFresh(dialect: Dialect): Fresh {
  const undo: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  async function removedAfterwards({ url, cleanup }: FreshDatabase): Promise<string> {
    undo.push(cleanup);
    return url;
  }

  const url = async () => removedAfterwards(await freshDatabaseUrl(dialect));
  const migratedUrl = async () => removedAfterwards(await migratedDatabaseUrl(dialect));

  async function open(given?: string): Promise<Store> {
    const store = openStore(given ?? (await url()));
    undo.push(store.close);
    return store;
  }

  async function migrated(given?: string): Promise<Store> {
    if (given === undefined) return open(await migratedUrl());
    const store = await open(given);
    await migrate(store, silent);
    return store;
  }

  return { dialect, url, migratedUrl, open, migrated };
}

async function freshFile(model?: Buffer): Promise<FreshDatabase> {
  const folder = quickFolder('sallyport-db-');
  if (model) writeFileSync(join(folder, 'sallyport.db'), model);
  return {
    url: join(folder, 'sallyport.db'),
    cleanup: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A database per test: a schema would be faster, but the tables must not be reachable under another name. */
async function freshPostgres(model = 'template0'): Promise<FreshDatabase> {
  const server = process.env['SALLYPORT_TEST_POSTGRES_URL'];
  if (!server) throw new Error('SALLYPORT_TEST_POSTGRES_URL is not set: the global setup starts PostgreSQL');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = connectionTo(server);
  await admin.unsafe(`create database ${name} template ${model} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    cleanup: async () => {
      await admin.unsafe(`drop database ${name} with (force)`);
    },
  };
}

const IDLE_TIMEOUT_S = 5; // the process may then exit
const connections = new Map<string, postgres.Sql>();

/** One connection for all databases of this process: opening one takes as long as creating a database. */
function connectionTo(server: string): postgres.Sql {
  const options = { max: 1, fetch_types: false, onnotice: () => undefined, idle_timeout: IDLE_TIMEOUT_S };
  const connection = connections.get(server) ?? postgres(server, options);
  connections.set(server, connection);
  return connection;
}
