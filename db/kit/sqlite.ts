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

/** The words that the schema is written in; a column takes its name from its property. */
export const sqliteKit = {
  table: sqliteTable,
  // Without `autoIncrement` SQLite would give the id of a removed row to the next one.
  id: () => integer().primaryKey({ autoIncrement: true }),
  int: () => integer(),
  /** Whole numbers as far as JavaScript's are exact. */
  long: () => integer(),
  float: () => real(),
  bool: () => integer({ mode: 'boolean' }),
  text: () => text(),
  instant: () => instant(),
  strings: () => strings(),
  /** Give it a type: what is read is what was written. */
  json: () => json(),
  index,
  uniqueIndex,
};

export type Kit = typeof sqliteKit;

/** For a column that refers to its own table, whose type cannot be inferred. */
export type AnyColumn = AnySQLiteColumn;
