import { compareNaturally } from '../../lib/match/natural.ts';

export interface Order {
  readonly column_id: string;
  readonly is_descending: boolean;
}

export type SortValue = string | number | undefined;

/** Sorted copy: numbers by size, texts in natural order (web-2 before web-12), undefined always last. */
export function sortRows<T>(
  rows: readonly T[],
  sortValue: (row: T) => SortValue,
  is_descending: boolean,
): readonly T[] {
  const keyed = rows.map((row) => ({ row, value: sortValue(row) }));
  keyed.sort((a, b) => {
    if (a.value === undefined || b.value === undefined)
      return Number(a.value === undefined) - Number(b.value === undefined);
    return (is_descending ? -1 : 1) * compare(a.value, b.value);
  });
  return keyed.map(({ row }) => row);
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareNaturally(String(a), String(b));
}

/** The next order when a column's title is pressed: ascending, descending, then as listed. */
export function nextOrder(order: Order | undefined, column_id: string): Order | undefined {
  if (order?.column_id !== column_id) return { column_id, is_descending: false };
  return order.is_descending ? undefined : { column_id, is_descending: true };
}

/** The order in the page's address: the column, behind a minus if descending. */
export function orderText(order: Order | undefined): string | undefined {
  return order && `${order.is_descending ? '-' : ''}${order.column_id}`;
}

export function readOrder(text: string | undefined): Order | undefined {
  if (!text) return undefined;
  const is_descending = text.startsWith('-');
  return { column_id: is_descending ? text.slice(1) : text, is_descending };
}

/** Whether each word of the text is in one of these texts. */
export function hasWords(texts: readonly string[], text: string): boolean {
  const all = texts.join('\n').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
