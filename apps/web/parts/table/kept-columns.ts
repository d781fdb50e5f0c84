import { createSignal } from 'solid-js';
import { createPlace } from '../../lib/storage.ts';
import { type Column, clampWidth, type SetWidths } from './column.ts';

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

export interface ColumnWidths<T> {
  readonly set: () => SetWidths;
  /** `undefined` returns the column to its share of the free width. */
  change(column: Column<T>, width_px: number | undefined): void;
  reset(): void;
}

/** The widths that the user gave the columns of a table, kept in this browser. */
export function createColumnWidths<T>(user_id: number, table_id: string): ColumnWidths<T> {
  const place = createPlace('local', `column-widths:${user_id}`);
  const [set, setWidths] = createSignal<SetWidths>(readWidths(place.read())[table_id] ?? {});
  function keep(after: SetWidths): void {
    setWidths(after);
    place.write({ ...readWidths(place.read()), [table_id]: after });
  }
  return {
    set,
    change(column, width_px) {
      const { [column.id]: _, ...others } = set();
      keep(width_px === undefined ? others : { ...others, [column.id]: clampWidth(column, width_px) });
    },
    reset: () => keep({}),
  };
}

export function readWidths(kept: unknown): Readonly<Record<string, SetWidths>> {
  return Object.fromEntries(
    entriesOf(kept)
      .slice(0, MOST_TABLES)
      .map(([id, widths]) => [
        id,
        Object.fromEntries(
          entriesOf(widths)
            .filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0)
            .slice(0, MOST_COLUMNS),
        ),
      ]),
  );
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
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
