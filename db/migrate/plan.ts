import { type ColumnSpec, quoted, type TableSpec } from './describe.ts';
import type { LiveSchema, LiveTable } from './introspect.ts';
import { MigrationFailed } from './migration-failed.ts';

export interface Change {
  /** In words, as `add column servers.port`. */
  readonly id: string;
  readonly statements: readonly string[];
}

/** What is missing, in an order in which it can be added; throws for what cannot be added at all. */
export function planChanges(expected: readonly TableSpec[], live: LiveSchema): Change[] {
  const missing = expected.filter((table) => !live.has(table.name));
  return [
    ...missing.map(creation),
    ...expected.flatMap((table) => additions(table, live.get(table.name))),
    ...expected.flatMap((table) => indexing(table, live.get(table.name))),
  ];
}

/** As `table.column`, in tables that are ours. */
export function unknownColumns(expected: readonly TableSpec[], live: LiveSchema): string[] {
  return expected.flatMap(({ name, columns }) => {
    const known = new Set(columns.map((column) => column.name));
    const found = [...(live.get(name)?.columns.keys() ?? [])];
    return found.filter((column) => !known.has(column)).map((column) => `${name}.${column}`);
  });
}

function creation({ name, columns }: TableSpec): Change {
  const definitions = columns.map((column) => column.definition).join(', ');
  return { id: `create table ${name}`, statements: [`create table ${quoted(name)} (${definitions})`] };
}

function additions(table: TableSpec, live: LiveTable | undefined): Change[] {
  if (!live) return [];
  return table.columns.flatMap((column) => {
    const type = live.columns.get(column.name);
    if (type === undefined) return [addition(table, column)];
    assertSameType(table, column, type);
    return [];
  });
}

function addition(table: TableSpec, column: ColumnSpec): Change {
  const id = `add column ${table.name}.${column.name}`;
  if (column.not_null && !column.has_default) {
    throw new MigrationFailed(id, 'the rows that exist would have no value for it');
  }
  return { id, statements: [`alter table ${quoted(table.name)} add column ${column.definition}`] };
}

function assertSameType(table: TableSpec, column: ColumnSpec, type: string): void {
  if (type === column.type) return;
  const id = `change column ${table.name}.${column.name} from ${type} to ${column.type}`;
  throw new MigrationFailed(id, 'columns are only ever added');
}

function indexing(table: TableSpec, live: LiveTable | undefined): Change[] {
  const missing = table.indexes.filter((index) => !live?.indexes.has(index.name));
  return missing.map(({ name, statements }) => ({ id: `create index ${name}`, statements }));
}
