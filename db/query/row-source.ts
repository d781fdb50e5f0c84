import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Dialect } from '../store.ts';

/**
 * A `select` of these rows in order, bound as a single JSON value: with one parameter per field, thousands of rows would
 * block the event loop.
 */
export function rowSource<Name extends string>(
  dialect: Dialect,
  columns: Readonly<Record<Name, Column>>,
  rows: readonly Readonly<Record<Name, unknown>>[],
): SQL {
  const fields = Object.entries<Column>(columns);
  const values = rows.map((row) => fields.map(([name, column]) => toDriver(column, Reflect.get(row, name))));
  const typed = fields.map(([name, column], i) => {
    const value = sql.raw(`value ->> ${i}`);
    return sql`cast(${value} as ${sql.raw(column.getSQLType())}) as ${sql.identifier(name)}`;
  });
  return sql`select ${sql.join(typed, sql`, `)} from ${EACH[dialect](JSON.stringify(values))} order by key`;
}

export function fieldList(columns: Readonly<Record<string, Column>>): SQL {
  const names = Object.keys(columns).map((name) => sql.identifier(name));
  return sql.join(names, sql`, `);
}

function toDriver(column: Column, value: unknown): unknown {
  return value === undefined || value === null ? null : column.mapToDriverValue(value);
}

const EACH: Record<Dialect, (json: string) => SQL> = {
  sqlite: (json) => sql`json_each(${json})`,
  postgres: (json) => sql`jsonb_array_elements(cast(${json} as jsonb)) with ordinality as each (value, key)`,
};
