import { sql } from 'drizzle-orm';
import { onlyRow } from '../query/rows.ts';
import type { Tables } from '../schema/schema.ts';
import type { Db, RowVersions } from '../store.ts';

// `xmin` is the transaction that wrote the row. Their sum depends on every row, whatever the order.
const MARK = sql<string>`count(*) || ' ' || coalesce(sum(hashtextextended(id || ' ' || xmin, 0)), 0)`;
const VERSIONS = sql<string>`coalesce(string_agg(id || ':' || xmin, ' '), '')`;

export function postgresVersions(db: Db, table: Tables['servers']): RowVersions {
  return {
    async mark() {
      return onlyRow(await db.select({ mark: MARK }).from(table)).mark;
    },
    async all() {
      const { mark, versions } = onlyRow(await db.select({ mark: MARK, versions: VERSIONS }).from(table)); // one statement: one state
      return { mark, versions: toMap(versions) };
    },
  };
}

function toMap(versions: string): Map<number, string> {
  const pairs = versions === '' ? [] : versions.split(' ');
  return new Map(
    pairs.map((pair) => {
      const [id, version = ''] = pair.split(':');
      return [Number(id), version];
    }),
  );
}
