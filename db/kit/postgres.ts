import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  pgTable,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Kit } from './sqlite.ts';
import { toInstant, toStorableJson, toStorableText } from './values.ts';

const text = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: toStorableText,
});

const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp with time zone',
  toDriver: toInstant,
  fromDriver: toInstant,
});

// The driver parses jsonb before the column sees it.
const strings = customType<{ data: string[]; driverData: string | string[] }>({
  dataType: () => 'jsonb',
  toDriver: toStorableJson,
  fromDriver: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
});

const json = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'jsonb',
  toDriver: toStorableJson,
  fromDriver: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
});

const kit = {
  table: pgTable,
  id: () => integer().primaryKey().generatedByDefaultAsIdentity(),
  int: () => integer(),
  long: () => bigint({ mode: 'number' }),
  float: () => doublePrecision(),
  bool: () => boolean(),
  text: () => text(),
  instant: () => instant(),
  strings: () => strings(),
  json: () => json(),
  index,
  uniqueIndex,
} satisfies Record<keyof Kit, unknown>;

/**
 * Guarantee: same keys (checked above), and each column reads and writes the same TypeScript values as its SQLite
 * counterpart; the builders that the schema chains (`notNull`, `references`, `on`, …) exist on both.
 */
export const postgresKit = kit as unknown as Kit;
