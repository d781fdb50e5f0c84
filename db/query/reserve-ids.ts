import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { ReserveIds } from '#core/lib/id-pool.ts';
import type { Store } from '../store.ts';

// SQLite's own table: the last id of each table with `autoincrement`.
const sequences = sqliteTable('sqlite_sequence', { name: text(), seq: integer() });

/** Takes ids that the database will give to no other row. */
export function reserving(store: Store, table: string): ReserveIds {
  return store.dialect === 'sqlite' ? reservingOnSqlite(store, table) : reservingOnPostgres(store, table);
}

function reservingOnSqlite({ batchReturning }: Store, table: string): ReserveIds {
  return async (count) => {
    const is_there = sql`exists (select 1 from sqlite_sequence where name = ${table})`;
    const [row] = await batchReturning((db) => ({
      first: [sql`insert into sqlite_sequence (name, seq) select ${table}, 0 where not ${is_there}`],
      last: db
        .update(sequences)
        .set({ seq: sql`${sequences.seq} + ${count}` })
        .where(eq(sequences.name, table))
        .returning({ seq: sequences.seq }),
    }));
    const last = row?.seq ?? 0;
    return Array.from({ length: count }, (_none, index) => last - count + 1 + index);
  };
}

function reservingOnPostgres({ db }: Store, table: string): ReserveIds {
  return async (count) => {
    const id = sql<number>`nextval(pg_get_serial_sequence(${table}, 'id'))`.mapWith(Number);
    const rows = await db.select({ id }).from(sql`generate_series(1, ${count}::int)`);
    return rows.map((row) => row.id);
  };
}
