import { createEffect, createMemo, createSignal, on } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAddressValue } from '../../lib/address-text.ts';
import type { Column } from './column.ts';
import { createColumnChoice, createColumnWidths } from './kept-columns.ts';
import { nextOrder, orderText, readOrder, sortRows } from './order.ts';
import { choose, chooseAll, NOTHING, type Reach, type RowId } from './selection.ts';

export interface Listed<T> {
  /** Under which the chosen columns are kept. */
  readonly id: string;
  readonly columns: readonly Column<T>[];
  /** The rows that pass the filter. */
  readonly rows: readonly T[];
  /** The rows, whether or not they pass the filter. */
  readonly all_rows?: readonly T[];
  readonly idOf: (row: T) => RowId;
  readonly nameOf: (row: T) => string;
  /** The row that the user comes back to, and that takes the focus. */
  readonly returned_id?: RowId | undefined;
  /** Opens the page of a row instead of its details. */
  readonly onOpen?: ((row: T) => void) | undefined;
}

export type TableState<T> = ReturnType<typeof createTableState<T>>;

/** Order, selection, current row and open details of a table; order and details are kept in the page's address. */
export function createTableState<T>(props: Listed<T>) {
  const { session } = useApp();
  const user_id = session.user()?.id ?? 0;
  const choice = createColumnChoice(user_id, props.id, () => props.columns);
  const shown = createShownColumns(props, choice.columns);
  const kept_order = createAddressValue(`${props.id}_sort`);
  const order = createMemo(() => readOrder(kept_order.value()));
  const rows = createMemo(() => {
    const by = order();
    const sort = props.columns.find(({ id }) => id === by?.column_id)?.sort;
    return by && sort ? sortRows(props.rows, sort, by.is_descending) : props.rows;
  });
  const ids = createMemo(() => rows().map(props.idOf));
  const cursor = createCursor(ids, props.returned_id);
  return {
    choice,
    ...shown,
    widths: createColumnWidths<T>(user_id, props.id),
    rows,
    order,
    toggleOrder: (column_id: string) =>
      kept_order.set(orderText(nextOrder(order(), column_id)), { replace: true }),
    is_returned: props.returned_id !== undefined,
    idOf: props.idOf,
    nameOf: props.nameOf,
    ...cursor,
    ...createChosen(props, rows, ids),
    ...createDetails(props, rows),
  };
}

/** The wanted columns with something to show. The grid reports which of them fit. */
function createShownColumns<T>(props: Listed<T>, wanted: () => readonly Column<T>[]) {
  const [fitting, setFitting] = createSignal<ReadonlySet<string>>(new Set());
  const isEmpty = ({ hides_empty, sort }: Column<T>) =>
    hides_empty === true && (props.all_rows ?? props.rows).every((row) => sort?.(row) === undefined);
  const filled = createMemo(() => wanted().filter((column) => !isEmpty(column)));
  return {
    columns: filled,
    setFitting,
    /** Why a column that the user wants is not there. */
    whyMissing(column: Column<T>): 'empty' | 'no_room' | undefined {
      if (!wanted().includes(column) || fitting().has(column.id)) return undefined;
      return filled().includes(column) ? 'no_room' : 'empty';
    },
  };
}

/** The row that has the table's one tab stop. */
function createCursor(ids: () => readonly RowId[], first: RowId | undefined) {
  const [id, setId] = createSignal(first);
  const index = createMemo(() => Math.max(0, ids().indexOf(id() ?? '')));
  return {
    cursor: index,
    setCursor: (to: number) => setId(ids()[to]),
  };
}

function createChosen<T>(
  { idOf }: Pick<Listed<T>, 'idOf'>,
  rows: () => readonly T[],
  ids: () => readonly RowId[],
) {
  const [selection, setSelection] = createSignal(NOTHING);
  /** Only what is shown counts: nobody acts on rows that the filter hides. */
  const chosen = createMemo(() => rows().filter((row) => selection().chosen.has(idOf(row))));
  return {
    chosen,
    isChosen: (row: T) => selection().chosen.has(idOf(row)),
    reach: (index: number, reach: Reach) => setSelection(choose(selection(), ids(), { index, reach })),
    chooseAll: () => setSelection(chooseAll(ids())),
    chooseNone: () => setSelection(NOTHING),
  };
}

function createDetails<T>(
  { id, idOf, onOpen }: Pick<Listed<T>, 'id' | 'idOf' | 'onOpen'>,
  rows: () => readonly T[],
) {
  const kept = createAddressValue(`${id}_open`);
  const open_id = kept.value;
  /** Counts the openings, each of which takes the focus. */
  const [openings, setOpenings] = createSignal(0);
  const open = createMemo(() => rows().find((row) => String(idOf(row)) === open_id()));
  const close = () => kept.set(undefined, { replace: true });
  createEffect(
    on(open, (row) => {
      if (!row && open_id() !== undefined) close(); // it was deleted or filtered out
    }),
  );
  return {
    open,
    openings,
    has_details: onOpen === undefined,
    isOpen: (row: T) => String(idOf(row)) === open_id(),
    show(row: T) {
      if (onOpen) {
        onOpen(row);
        return;
      }
      kept.set(String(idOf(row)), { replace: open_id() !== undefined });
      setOpenings((count) => count + 1);
    },
    close,
  };
}
