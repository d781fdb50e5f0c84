import { is, SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { postgresKit } from './kit/postgres.ts';
import { defineSchema } from './schema/schema.ts';
import type { Db, Store } from './store.ts';

const POOL_SIZE = 10;
const CONNECT_TIMEOUT_S = 10;
const CLOSE_TIMEOUT_S = 5;

export function openPostgres(url: string): Store {
  const client = connect(url);
  const database = drizzle(client);

  return {
    dialect: 'postgres',
    db: toDb(database),
    tables: defineSchema(postgresKit),
    batch: (build) =>
      database.transaction(async (tx) => {
        for (const statement of build(toDb(tx))) {
          await (is(statement, SQL) ? tx.execute(statement) : statement);
        }
      }),
    close: () => client.end({ timeout: CLOSE_TIMEOUT_S }),
  };
}

function connect(url: string): postgres.Sql {
  const options = {
    max: POOL_SIZE,
    connect_timeout: CONNECT_TIMEOUT_S,
    fetch_types: false, // we use no array types, and the query would cost each connection a round trip
    onnotice: () => undefined,
    connection: { application_name: 'sallyport', DateStyle: 'ISO', TimeZone: 'UTC' },
  };
  try {
    return postgres(url, options);
  } catch {
    throw new Error('The address of the PostgreSQL database is malformed'); // the cause quotes its password
  }
}

/** Guarantee: `Db` names only the builders that both dialects spell alike, over tables of `postgresKit`. */
function toDb(database: PgDatabase<PgQueryResultHKT>): Db {
  return database as unknown as Db;
}
