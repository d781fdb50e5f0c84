import { createGiveWay } from '../../lib/concurrency/give-way.ts';
import type { BackupMode } from '../../model/backup/backup.ts';
import type { RowChanges } from '../../ports/repositories/backup.ts';

/** How rows of a bundle are matched with existing rows. */
export interface RowRule<Wanted, New, Row> {
  /** Rows with equal keys are paired in order. */
  keyOf(wanted: Wanted): string;
  keyOfRow(row: Row): string;
  toNew(wanted: Wanted, index: number): New | Promise<New>;
  /** The row with the content of the bundle. */
  replaced(row: Row, wanted: Wanted, index: number): Row | Promise<Row>;
  /** The existing row, with unreadable secrets repaired from the bundle. */
  repaired?(row: Row, wanted: Wanted): Row | Promise<Row>;
  /** Whether the row stays although it is not in the bundle. */
  isKept?(row: Row): boolean;
}

export interface Pairs<Row> {
  /** By index in the bundle; undefined where no row exists. */
  readonly present: readonly (Row | undefined)[];
  /** Existing rows that are not in the bundle. */
  readonly left: readonly Row[];
}

export function pairUp<Wanted, Row>(
  wanted: readonly Wanted[],
  rows: readonly Row[],
  { keyOf, keyOfRow }: Pick<RowRule<Wanted, unknown, Row>, 'keyOf' | 'keyOfRow'>,
): Pairs<Row> {
  const waiting = new Map<string, Row[]>();
  for (const row of rows.toReversed()) {
    const key = keyOfRow(row);
    const same = waiting.get(key);
    if (same) same.push(row);
    else waiting.set(key, [row]);
  }
  const present = wanted.map((one) => waiting.get(keyOf(one))?.pop());
  return { present, left: [...waiting.values()].flat() };
}

export async function planRows<Wanted, New, Row extends { readonly id: number }>(
  mode: BackupMode,
  { wanted, rows }: { readonly wanted: readonly Wanted[]; readonly rows: readonly Row[] },
  rule: RowRule<Wanted, New, Row>,
): Promise<RowChanges<New, Row>> {
  const giveWay = createGiveWay();
  const { present, left } = pairUp(wanted, rows, rule);
  const added: New[] = [];
  const changed: Row[] = [];
  for (const [index, one] of wanted.entries()) {
    await giveWay();
    const row = present[index];
    if (!row) added.push(await rule.toNew(one, index));
    else {
      const after =
        mode === 'replace' ? await rule.replaced(row, one, index) : await rule.repaired?.(row, one);
      if (after && !isSame(row, after)) changed.push(after);
    }
  }
  const removed = mode === 'replace' ? left.filter((row) => !rule.isKept?.(row)) : [];
  return { added, changed, removed: removed.map(({ id }) => id) };
}

/** Compares rows with the same fields in the same order. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
