import { type ColumnSpec, quoted, type TableSpec } from './describe.ts';
import type { LiveSchema, LiveTable } from './introspect.ts';
import { MigrationFailed } from './migration-failed.ts';

export interface Change {
  /** For example `add column servers.port`. */
  readonly id: string;
  readonly statements: readonly string[];
}

/** The missing parts in an order in which they can be added; throws if something cannot be added. */
export function planChanges(expected: readonly TableSpec[], live: LiveSchema): Change[] {
  const missing = expected.filter((table) => !live.has(table.name));
  return [
    ...missing.map(creation),
    ...expected.flatMap((table) => additions(table, live.get(table.name))),
    ...expected.flatMap((table) => indexing(table, live.get(table.name))),
  ];
}

/** `table.column` for unexpected columns in our tables. */
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
    throw new MigrationFailed(id, 'existing rows would have no value for it');
  }
  return { id, statements: [`alter table ${quoted(table.name)} add column ${column.definition}`] };
}

function assertSameType(table: TableSpec, column: ColumnSpec, type: string): void {
  if (type === column.type) return;
  const id = `change column ${table.name}.${column.name} from ${type} to ${column.type}`;
  throw new MigrationFailed(id, 'migrations only add columns');
}

function indexing(table: TableSpec, live: LiveTable | undefined): Change[] {
  const missing = table.indexes.filter((index) => !live?.indexes.has(index.name));
  return missing.map(({ name, statements }) => ({ id: `create index ${name}`, statements }));
}
