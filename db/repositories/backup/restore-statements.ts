import { setImmediate as breathe } from 'node:timers/promises';
import { type Column, inArray, type SQL, sql } from 'drizzle-orm';
import { fieldList, rowSource } from '../../query/row-source.ts';
import type { Db, Dialect, LongTransaction } from '../../store.ts';

const AT_ONCE = 250; // rows per statement: about 10 ms on SQLite

type Columns = Readonly<Record<string, Column>>;
type Table = Parameters<Db['delete']>[0];

/** Runs statements over many rows in chunks, which lets other work run in between. */
export function createBulk({ dialect }: { readonly dialect: Dialect }, { run, db }: LongTransaction) {
  async function inParts<Item>(items: readonly Item[], use: (part: Item[]) => PromiseLike<unknown>) {
    for (let at = 0; at < items.length; at += AT_ONCE) {
      await use(items.slice(at, at + AT_ONCE));
      await breathe();
    }
  }

  return {
    insert: <Row extends object>(
      table: Table,
      columns: Columns,
      rows: readonly Row[],
      toValues: (row: Row) => object = itself,
    ) =>
      inParts(rows, (part) => {
        const source = rowSource(dialect, columns, valuesOf(part.map(toValues), columns));
        return run(sql`insert into ${table} (${fieldList(columns)}) ${source}`);
      }),

    /** The columns except `id`, which identifies the row. */
    update(table: Table, columns: Columns & { readonly id: Column }, rows: readonly object[]) {
      const { id, ...changing } = columns;
      const set = sql.join(Object.keys(changing).map(fromSource), sql`, `);
      return inParts(rows, (part) => {
        const source = rowSource(dialect, columns, valuesOf(part, columns));
        return run(
          sql`with source as (${source}) update ${table} set ${set} from source where ${id} = source.id`,
        );
      });
    },

    remove: (table: Table, key: Column, keys: readonly (number | string)[]) =>
      inParts(keys, (part) => db.delete(table).where(inArray(key, part))),
  };
}

export type Bulk = ReturnType<typeof createBulk>;

function itself(row: object): object {
  return row;
}

function fromSource(name: string): SQL {
  return sql`${sql.identifier(name)} = source.${sql.identifier(name)}`;
}

function valuesOf(rows: readonly object[], columns: Columns): Readonly<Record<string, unknown>>[] {
  const names = Object.keys(columns);
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, Reflect.get(row, name)])));
}
