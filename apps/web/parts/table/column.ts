import type { JSX } from 'solid-js';
import type { TextKey } from '../../i18n/languages.ts';

/** A column of a table; every cell is one line. */
export interface Column<T> extends SizedColumn {
  readonly title: TextKey;
  /** Hidden until the user adds it. */
  readonly is_extra?: boolean;
  /** What the column is sorted by; undefined comes last. A column without it cannot be sorted. */
  readonly sort?: (row: T) => string | number | undefined;
  /** Hidden while no row of the list has a value to sort by. */
  readonly hides_empty?: boolean;
  readonly class?: string;
  readonly tooltip?: (row: T) => string | undefined;
  readonly cell: (row: T) => JSX.Element;
}

interface SizedColumn {
  readonly id: string;
  /** Only screen readers get the title, as above a column of buttons. */
  readonly is_title_hidden?: boolean;
  /** Its cells name the rows and open their details; a table has one such column. */
  readonly is_row_name?: boolean;
  /** In a narrow table it stays on the line of the name, such as a state. */
  readonly is_beside_name?: boolean;
  /** In pixels, at least. */
  readonly width: number;
  /** Where rows have two lines, and buttons that fold are hidden: the details have them. */
  readonly narrow_width?: number;
  /** Share of the width that is left. A column without it holds what is never cut, such as a date. */
  readonly grow?: number;
  /** Where the table is too narrow, the highest goes first. A column without it always stays. */
  readonly rank?: number;
}

const LEAST_PX = 72;
export const MOST_PX = 1200;
const NARROW_PX = 500;
const MOST_BELOW = 3;

/** Widths in pixels that the user has set, by the column's id. */
export type SetWidths = Readonly<Record<string, number>>;

export interface TableLayout<C> {
  /** In pixels, of the columns that the table has. */
  readonly widths: ReadonlyMap<string, number>;
  /** Where rows have two lines: what is on the line of the name, and what is below it. */
  readonly beside: readonly C[];
  readonly below: readonly C[];
  readonly is_narrow: boolean;
}

/** A narrow table whose columns do not fit has rows of two lines; a wide one leaves columns out. */
export function layOut<C extends SizedColumn>(
  columns: readonly C[],
  width_px: number,
  set: SetWidths = {},
): TableLayout<C> {
  const is_narrow = width_px < NARROW_PX && widthOf(columns) > width_px;
  if (!is_narrow) return { widths: fitColumns(columns, width_px, set), beside: [], below: [], is_narrow };
  const isKept = ({ is_row_name, is_title_hidden }: C) => is_row_name === true || is_title_hidden === true;
  const kept = columns
    .filter(isKept)
    .map((column) => ({ ...column, width: column.narrow_width ?? column.width }));
  const others = columns.filter((column) => !isKept(column));
  const below = others.filter(({ is_beside_name }) => !is_beside_name);
  return {
    widths: fitColumns(kept, width_px),
    beside: others.filter(({ is_beside_name }) => is_beside_name),
    below: below.sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0)).slice(0, MOST_BELOW),
    is_narrow,
  };
}

/** The columns that fit, each with its width in pixels. Together they are as wide as the table, or narrower if all widths are set. */
export function fitColumns(
  columns: readonly SizedColumn[],
  width_px: number,
  set: SetWidths = {},
): ReadonlyMap<string, number> {
  const isSet = ({ id }: SizedColumn) => set[id] !== undefined;
  const wished = columns.map((column) => withSetWidth(column, set[column.id]));
  const shown = shrinkSet(dropUntilFit(wished, width_px, isSet), width_px, isSet);
  const left = width_px - widthOf(shown);
  const free = shown.filter((column) => !isSet(column));
  const shares = free.reduce((sum, { grow = 0 }) => sum + grow, 0);
  const partOf = (column: SizedColumn) => {
    if (isSet(column)) return 0;
    return shares > 0 ? (left * (column.grow ?? 0)) / shares : left / free.length;
  };
  return new Map(shown.map((column) => [column.id, Math.max(LEAST_PX, column.width + partOf(column))]));
}

type Test = (column: SizedColumn) => boolean;

/** Shrinks the widths that the user set where even the columns that always stay would not fit. */
function shrinkSet(columns: readonly SizedColumn[], width_px: number, isSet: Test): readonly SizedColumn[] {
  const over = widthOf(columns) - width_px;
  if (over <= 0) return columns;
  const slackOf = (column: SizedColumn) =>
    isSet(column) ? Math.max(0, column.width - leastWidthOf(column)) : 0;
  const slack = columns.reduce((sum, column) => sum + slackOf(column), 0);
  const share = Math.min(1, over / Math.max(1, slack));
  return columns.map((column) => ({ ...column, width: column.width - slackOf(column) * share }));
}

function withSetWidth(column: SizedColumn, set_px: number | undefined): SizedColumn {
  return set_px === undefined ? column : { ...column, width: clampWidth(column, set_px) };
}

export function leastWidthOf({ grow = 0, width }: SizedColumn): number {
  return grow > 0 ? Math.min(LEAST_PX, width) : width;
}

export function clampWidth(column: SizedColumn, width_px: number): number {
  return Math.round(Math.min(MOST_PX, Math.max(leastWidthOf(column), width_px)));
}

/** Columns whose width the user set are the last to go. */
function dropUntilFit(
  columns: readonly SizedColumn[],
  width_px: number,
  isSet: Test,
): readonly SizedColumn[] {
  if (widthOf(columns) <= width_px) return columns;
  const ranks = columns.filter((column) => !isSet(column)).flatMap(({ rank }) => rank ?? []);
  if (ranks.length === 0) return columns;
  const highest = Math.max(...ranks);
  const last = columns.findLastIndex((column) => column.rank === highest && !isSet(column));
  return dropUntilFit(columns.toSpliced(last, 1), width_px, isSet);
}

function widthOf(columns: readonly SizedColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0);
}
