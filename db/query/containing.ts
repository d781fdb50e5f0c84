import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Dialect } from '../store.ts';

/** The text anywhere in the column, literally; on PostgreSQL in the form that a trigram index can answer. */
export function containing(dialect: Dialect, column: Column, text: string): SQL {
  return containingIn(dialect, sql`${column}`, { column, text });
}

/** Like `containing`, but always reads the rows. */
export function containingUnindexed(dialect: Dialect, column: Column, text: string): SQL {
  return containingIn(dialect, sql`(${column} || '')`, { column, text });
}

interface Sought {
  readonly column: Column;
  readonly text: string;
}

function containingIn(dialect: Dialect, place: SQL, { column, text }: Sought): SQL {
  if (dialect === 'sqlite') return sql`instr(${place}, ${sql.param(text, column)}) > 0`;
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`${place} like ${sql.param(pattern, column)}`;
}
