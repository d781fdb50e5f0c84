import { createGiveWay } from '../../lib/give-way.ts';
import type { BackupMode } from '../../model/backup.ts';
import type { RowChanges } from '../../ports/backup.ts';

/** How rows of a bundle and rows that are here come together. */
export interface RowRule<Wanted, New, Row> {
  /** Of several with the same key, the first of the bundle is the first that is here. */
  keyOf(wanted: Wanted): string;
  keyOfRow(row: Row): string;
  toNew(wanted: Wanted, index: number): New | Promise<New>;
  /** As the bundle says. */
  replaced(row: Row, wanted: Wanted, index: number): Row | Promise<Row>;
  /** As it is, but for what cannot be read here any more. */
  mended?(row: Row, wanted: Wanted): Row | Promise<Row>;
  /** Whether it stays although the bundle does not have it. */
  isKept?(row: Row): boolean;
}

export interface Pairs<Row> {
  /** By the place in the bundle; undefined: it is missing here. */
  readonly present: readonly (Row | undefined)[];
  /** What is here and not in the bundle. */
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
      const after = mode === 'replace' ? await rule.replaced(row, one, index) : await rule.mended?.(row, one);
      if (after && !isSame(row, after)) changed.push(after);
    }
  }
  const removed = mode === 'replace' ? left.filter((row) => !rule.isKept?.(row)) : [];
  return { added, changed, removed: removed.map(({ id }) => id) };
}

/** Of rows with the same fields in the same order. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
