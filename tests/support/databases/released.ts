import { readFileSync } from 'node:fs';
import { type SQL, sql } from 'drizzle-orm';
import { type ColumnSpec, describeTables, type TableSpec } from '#db/migrate/describe.ts';
import { planChanges } from '#db/migrate/plan.ts';
import type { Dialect, Store } from '#db/store.ts';

/** Table → column → its definition in each dialect. */
type Release = Record<string, Record<string, Record<Dialect, string>>>;

const file = new URL('../../../db/schema/released.json', import.meta.url);

/** The columns each version added, oldest version first. */
export const RELEASED: Readonly<Record<string, Release>> = JSON.parse(readFileSync(file, 'utf8'));

export const VERSIONS = Object.keys(RELEASED);

interface OldColumn extends ColumnSpec {
  readonly table: string;
  /** The PostgreSQL type, which is more specific than SQLite's. */
  readonly kind: string;
}

export interface OldTable extends TableSpec {
  readonly columns: readonly OldColumn[];
}

/** The tables of a version, with the indexes whose columns existed then. */
function tablesOf({ tables }: Pick<Store, 'tables'>, version: string): OldTable[] {
  return describeTables(tables).flatMap((table) => {
    const columns = table.columns.flatMap((column) => oldColumn(table.name, column, version) ?? []);
    const names = new Set(columns.map(({ name }) => name));
    const indexes = table.indexes.filter(({ statements }) =>
      columnsOf(statements).every((one) => names.has(one)),
    );
    return columns.length === 0 ? [] : [{ name: table.name, columns, indexes }];
  });
}

function oldColumn(table: string, column: ColumnSpec, version: string): OldColumn | undefined {
  const until = VERSIONS.slice(0, VERSIONS.indexOf(version) + 1);
  const spelled = until.map((one) => RELEASED[one]?.[table]?.[column.name]).find((one) => one !== undefined);
  return spelled && { ...column, table, kind: spelled.postgres.replace(' not null', '') };
}

/** The columns of an index; empty for one with an expression, and for a trigger. */
function columnsOf(statements: readonly string[]): string[] {
  const [, list = ''] =
    /^create (?:unique )?index "\w+" on "\w+" \(([^()]*)\)(?: where .*)?$/.exec(statements[0] ?? '') ?? [];
  return [...list.matchAll(/"(\w+)"/g)].map(([, name = '']) => name);
}

/** Creates a version's tables in an empty database. */
export async function makeReleased(store: Store, version: string): Promise<OldTable[]> {
  const tables = tablesOf(store, version);
  for (const { id, statements } of planChanges(tables, new Map())) {
    const row = { change: id, applied_at: new Date().toISOString() };
    await store.batch((db) => [
      ...statements.map((text) => sql.raw(text)),
      db.insert(store.tables.schema_migrations).values(row),
    ]);
  }
  return tables;
}

/** Inserts the `n`-th row into each table, with only that version's columns. */
export function insertRows({ batch, dialect }: Store, tables: readonly OldTable[], n: number): Promise<void> {
  const ours = tables.filter(({ name }) => name !== 'schema_migrations');
  return batch(() => ours.map((table) => insertion(dialect, table, { tables, n })));
}

/** All rows of these tables, restricted to these columns. */
export async function readRows({ db }: Pick<Store, 'db'>, tables: readonly OldTable[]) {
  const read = tables.map(async ({ name, columns }): Promise<[string, unknown[]]> => {
    const fields = Object.fromEntries(
      columns.map((column) => [column.name, sql`${sql.identifier(column.name)}`]),
    );
    const rows = await db.select(fields).from(sql`${sql.identifier(name)}`);
    return [name, rows.map((row) => JSON.stringify(row)).sort()];
  });
  return Object.fromEntries(await Promise.all(read));
}

interface Rows {
  readonly tables: readonly OldTable[];
  readonly n: number;
}

function insertion(dialect: Dialect, { name, columns }: OldTable, rows: Rows): SQL {
  const given = columns.filter((column) => !isGenerated(column));
  if (given.length === 0) return sql`insert into ${sql.identifier(name)} default values`;
  const names = given.map((column) => sql.identifier(column.name));
  const values = given.map((column) => sql.raw(literalOf(dialect, column, rows)));
  const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `);
  return sql`insert into ${sql.identifier(name)} (${list(names.map((one) => sql`${one}`))}) values (${list(values)})`;
}

function isGenerated({ definition }: ColumnSpec): boolean {
  return /autoincrement|as identity/.test(definition);
}

/** A value distinct for each `n`; a foreign key gets the value it refers to. A table's first row never refers to its own table. */
function literalOf(dialect: Dialect, column: OldColumn, rows: Rows): string {
  const referred = referredBy(column, rows.tables);
  if (!referred) return LITERALS[column.kind]?.(rows.n, column, dialect) ?? 'null';
  if (referred.table !== column.table) return literalOf(dialect, referred, rows);
  return rows.n === 1 ? 'null' : literalOf(dialect, referred, { ...rows, n: rows.n - 1 });
}

function referredBy({ definition }: ColumnSpec, tables: readonly OldTable[]): OldColumn | undefined {
  const [, table, column] = /references "(\w+)" \("(\w+)"\)/.exec(definition) ?? [];
  return tables.find(({ name }) => name === table)?.columns.find(({ name }) => name === column);
}

const number = (n: number) => String(n);

const LITERALS: Readonly<Record<string, (n: number, column: OldColumn, dialect: Dialect) => string>> = {
  integer: number,
  bigint: number,
  'double precision': (n) => `${n}.5`,
  text: (n, { table, name }) => `'${table}.${name} ${n}'`,
  jsonb: (n) => `'["kept ${n}"]'`,
  'timestamp with time zone': (n) => `'2026-01-0${n}T03:04:05.678Z'`,
  // A unique index may allow only one row to be true.
  boolean(n, { not_null }, dialect) {
    if (n > 1 && !not_null) return 'null';
    const [yes, no] = dialect === 'sqlite' ? ['1', '0'] : ['true', 'false'];
    return n === 1 ? yes : no;
  },
};
