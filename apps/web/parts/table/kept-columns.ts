import { createSignal } from 'solid-js';
import { createPlace } from '../../lib/storage.ts';
import type { Column } from './column.ts';

const MOST_TABLES = 40;
const MOST_COLUMNS = 40;

/** Columns that the user has shown or hidden against the default, by the table's id. */
type Kept = Readonly<Record<string, readonly string[]>>;

export interface ColumnChoice<T> {
  readonly columns: () => readonly Column<T>[];
  isShown(column: Column<T>): boolean;
  toggle(column: Column<T>): void;
}

/** The columns that the user wants in a table, kept in this browser. */
export function createColumnChoice<T>(
  user_id: number,
  table_id: string,
  columns: () => readonly Column<T>[],
): ColumnChoice<T> {
  const place = createPlace('local', `columns:${user_id}`);
  const [changed, setChanged] = createSignal(readColumns(place.read())[table_id] ?? []);
  const isShown = (column: Column<T>) => changed().includes(column.id) === (column.is_extra === true);
  return {
    columns: () => columns().filter(isShown),
    isShown,
    toggle({ id }) {
      const before = changed();
      const after = before.includes(id) ? before.filter((other) => other !== id) : [...before, id];
      setChanged(after);
      place.write({ ...readColumns(place.read()), [table_id]: after }); // another tab may have written since
    },
  };
}

/** What is stored is not trusted: only lists of names count. */
export function readColumns(kept: unknown): Kept {
  if (typeof kept !== 'object' || kept === null) return {};
  const tables = Object.entries(kept).slice(0, MOST_TABLES);
  return Object.fromEntries(
    tables.map(([id, names]) => [
      id,
      (Array.isArray(names) ? names : [])
        .filter((name): name is string => typeof name === 'string')
        .slice(0, MOST_COLUMNS),
    ]),
  );
}
