import {
  type AnySQLiteColumn,
  customType,
  index,
  integer,
  real,
  sqliteTable,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { toInstant, toStorableJson, toStorableText } from './values.ts';

const text = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: toStorableText,
});

const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: toInstant,
});

const strings = customType<{ data: string[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: toStorableJson,
  fromDriver: (value) => JSON.parse(value),
});

const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: toStorableJson,
  fromDriver: (value) => JSON.parse(value),
});

/** The column types of the schema; a column is named after its property. */
export const sqliteKit = {
  table: sqliteTable,
  // Without `autoIncrement`, SQLite would reuse the id of a removed row.
  id: () => integer().primaryKey({ autoIncrement: true }),
  int: () => integer(),
  /** Safe integers. */
  long: () => integer(),
  float: () => real(),
  bool: () => integer({ mode: 'boolean' }),
  text: () => text(),
  instant: () => instant(),
  strings: () => strings(),
  /** Add a type with `$type`; values are read back as written. */
  json: () => json(),
  index,
  uniqueIndex,
};

export type Kit = typeof sqliteKit;

/** For a column that references its own table, whose type cannot be inferred. */
export type AnyColumn = AnySQLiteColumn;
