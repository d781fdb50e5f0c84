import type { JSX } from 'solid-js';
import type { TextKey } from '../../i18n/languages.ts';

/** A column of a table; every cell is one line. */
export interface Column<T> extends SizedColumn {
  readonly title: TextKey;
  /** Only screen readers get the title, as above a column of buttons. */
  readonly is_title_hidden?: boolean;
  /** Its cells name the rows and open their details; a table has one such column. */
  readonly is_row_name?: boolean;
  /** Hidden until the user adds it. */
  readonly is_extra?: boolean;
  /** What the column is sorted by; undefined comes last. A column without it cannot be sorted. */
  readonly sort?: (row: T) => string | number | undefined;
  readonly class?: string;
  readonly tooltip?: (row: T) => string | undefined;
  readonly cell: (row: T) => JSX.Element;
}

interface SizedColumn {
  readonly id: string;
  /** In pixels, at least. */
  readonly width: number;
  /** Share of the width that is left. */
  readonly grow?: number;
  /** Where the table is too narrow, the highest goes first. A column without it always stays. */
  readonly rank?: number;
}

const LEAST_PX = 72;

/** The columns that fit, each with its width in pixels. Together they are as wide as the table. */
export function fitColumns(columns: readonly SizedColumn[], width_px: number): ReadonlyMap<string, number> {
  const shown = dropUntilFit(columns, width_px);
  const left = width_px - widthOf(shown);
  const shares = shown.reduce((sum, { grow = 0 }) => sum + grow, 0);
  const partOf = ({ grow = 0 }: SizedColumn) => (shares > 0 ? (left * grow) / shares : left / shown.length);
  return new Map(shown.map((column) => [column.id, Math.max(LEAST_PX, column.width + partOf(column))]));
}

function dropUntilFit(columns: readonly SizedColumn[], width_px: number): readonly SizedColumn[] {
  if (widthOf(columns) <= width_px) return columns;
  const ranks = columns.flatMap(({ rank }) => rank ?? []);
  if (ranks.length === 0) return columns;
  const highest = Math.max(...ranks);
  const last = columns.findLastIndex(({ rank }) => rank === highest);
  return dropUntilFit(columns.toSpliced(last, 1), width_px);
}

function widthOf(columns: readonly SizedColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0);
}
