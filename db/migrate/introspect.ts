import { sql } from 'drizzle-orm';
import type { Dialect, Store } from '../store.ts';

export interface LiveTable {
  /** Name → type, as the database spells it. */
  readonly columns: ReadonlyMap<string, string>;
  /** Also its triggers: on SQLite they maintain the search indexes, on PostgreSQL they send notices. */
  readonly indexes: ReadonlySet<string>;
}

export type LiveSchema = ReadonlyMap<string, LiveTable>;

/** The tables of the schema in which new tables would be created. */
export async function introspect({ db, dialect }: Pick<Store, 'db' | 'dialect'>): Promise<LiveSchema> {
  const { columns, indexes } = CATALOGUE[dialect];
  const found = new Map<string, { columns: Map<string, string>; indexes: Set<string> }>();
  for (const { table, name, type } of await db.select(columns.fields).from(columns.from)) {
    const live = found.get(table) ?? { columns: new Map(), indexes: new Set() };
    found.set(table, live);
    live.columns.set(name, type);
  }
  for (const { table, name } of await db.select(indexes.fields).from(indexes.from)) {
    found.get(table)?.indexes.add(name);
  }
  return found;
}

const SQLITE = {
  columns: {
    fields: {
      table: sql<string>`tables.name`,
      name: sql<string>`columns.name`,
      type: sql<string>`lower(columns.type)`,
    },
    // Excludes virtual tables and their shadow tables.
    from: sql`(
      select name from sqlite_master where type = 'table' and name in (
        select name from pragma_table_list where schema = 'main' and type = 'table'
      )
    ) tables join pragma_table_info(tables.name) columns`,
  },
  indexes: {
    fields: { table: sql<string>`tbl_name`, name: sql<string>`name` },
    from: sql`(select tbl_name, name from sqlite_master where type in ('index', 'trigger')) indexes`,
  },
};

const POSTGRES = {
  columns: {
    fields: {
      table: sql<string>`columns.table_name`,
      name: sql<string>`columns.name`,
      type: sql<string>`columns.type`,
    },
    from: sql`(
      select c.relname::text as table_name, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = to_regnamespace(quote_ident(current_schema()))
        and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
    ) columns`,
  },
  indexes: {
    fields: { table: sql<string>`indexes.table_name`, name: sql<string>`indexes.name` },
    from: sql`(
      select t.relname::text as table_name, i.relname::text as name
      from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
      where t.relnamespace = to_regnamespace(quote_ident(current_schema()))
      union all
      select t.relname::text, g.tgname::text from pg_trigger g join pg_class t on t.oid = g.tgrelid
      where t.relnamespace = to_regnamespace(quote_ident(current_schema())) and not g.tgisinternal
    ) indexes`,
  },
};

const CATALOGUE = { sqlite: SQLITE, postgres: POSTGRES } satisfies Record<Dialect, unknown>;
