import type { SQL, SQLWrapper } from 'drizzle-orm';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { Notices } from '#core/ports/notices.ts';
import type { Log } from '#core/ports/runtime.ts';
import type { Reserve } from './reserve.ts';
import type { Tables } from './schema/schema.ts';

export type Dialect = 'sqlite' | 'postgres';

/** What both drivers can do. Statements are awaited; `run`, `all` and `get` exist on SQLite only. */
export type Db = Pick<
  BaseSQLiteDatabase<'async', unknown>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete'
>;

/** Raw SQL, or a statement that returns no rows. */
export type Statement = SQL | (PromiseLike<unknown> & SQLWrapper & { run(): unknown });

/** A statement that returns rows. */
type Returning<Row> = PromiseLike<Row[]> & { all(): Row[] | PromiseLike<Row[]> };

/** Tells apart the states of a table. It notices changes by this instance, by one of any version, and by hand. */
export interface RowVersions {
  /** Equal marks mean that no row has changed in between. */
  mark(): Promise<string>;
  /** By id, what differs whenever the row does; all of it belongs to `mark`. */
  all(): Promise<{ readonly mark: string; readonly versions: ReadonlyMap<number, string> }>;
}

/** An open transaction. */
export interface LongTransaction {
  readonly db: Db;
  run(statement: SQL): Promise<void>;
}

/** A query that can be prepared; both drivers run it with the values of its placeholders. */
type Preparable<Row> = PromiseLike<Row[]> & {
  prepare(): { execute(values: Record<string, unknown>): PromiseLike<unknown> };
};

export type Prepared<Row> = (values: Record<string, unknown>) => Promise<Row[]>;

/** Prepares at the first run, when the tables exist. */
export function preparing<Row>(build: () => Preparable<Row>): Prepared<Row> {
  let query: ReturnType<Preparable<Row>['prepare']> | undefined;
  return async (values) => {
    query ??= build().prepare();
    return (await query.execute(values)) as Row[];
  };
}

export interface Store {
  readonly dialect: Dialect;
  readonly db: Db;
  readonly tables: Tables;
  /**
   * A query for every request: its text is made once, at the first run, which takes most of a query's time. Its values are
   * `sql.placeholder`s.
   */
  prepared<Row>(build: (db: Db) => Preparable<Row>): Prepared<Row>;
  /**
   * Runs the statements in one transaction. `build` uses the given `db` and runs again for each attempt.
   * `patience_ms` is how long it may take, waiting for the locks of others included.
   */
  batch(build: (db: Db) => readonly Statement[], patience_ms?: number): Promise<void>;
  /** Like `batch`, with a last statement whose rows it returns. */
  batchReturning<Row>(
    build: (db: Db) => { readonly first: readonly Statement[]; readonly last: Returning<Row> },
  ): Promise<Row[]>;
  /**
   * Runs writes of which none reads what another has written, all or nothing. PostgreSQL receives them as one statement,
   * instead of four or more in a transaction. Returns how many rows the last one wrote.
   */
  together(build: (db: Db) => readonly Statement[]): Promise<number>;
  /** Runs one statement under a lock across instances, so that what it reads stays true until it has written. */
  alone<Rows>(lock: string, build: (db: Db) => PromiseLike<Rows>): Promise<Rows>;
  /**
   * One transaction over many turns of the event loop, for what would hold it up. `reading`: all is of one moment;
   * `writing`: on SQLite nobody else writes until it is over, on PostgreSQL whatever `work` locks.
   */
  inTurns<Result>(
    kind: 'reading' | 'writing',
    work: (tx: LongTransaction) => Promise<Result>,
  ): Promise<Result>;
  readonly server_versions: RowVersions;
  readonly reserve: Reserve;
  /** Adds indexes that only large tables need, while the gateway runs; now and then, until the store is closed. */
  keepLargeIndexes(log: Pick<Log, 'info' | 'warn'>): void;
  readonly notices: Notices;
  close(): Promise<void>;
}
