import { createEffect, createMemo, createSignal, on } from 'solid-js';
import { useApp } from '../../app-context.ts';
import type { Column } from './column.ts';
import { createColumnChoice } from './kept-columns.ts';
import { nextOrder, type Order, sortRows } from './order.ts';
import { choose, chooseAll, NOTHING, type Reach, type RowId } from './selection.ts';

export interface Listed<T> {
  /** Under which the chosen columns are kept. */
  readonly id: string;
  readonly columns: readonly Column<T>[];
  /** As they pass the filter. */
  readonly rows: readonly T[];
  readonly idOf: (row: T) => RowId;
  readonly nameOf: (row: T) => string;
  /** The row that the user comes back to, and that takes the focus. */
  readonly returned_id?: RowId | undefined;
}

export type TableState<T> = ReturnType<typeof createTableState<T>>;

/** Order, selection, current row and open details of a table. */
export function createTableState<T>(props: Listed<T>) {
  const { session } = useApp();
  const choice = createColumnChoice(session.user()?.id ?? 0, props.id, () => props.columns);
  const [order, setOrder] = createSignal<Order>();
  const rows = createMemo(() => {
    const by = order();
    const sort = props.columns.find(({ id }) => id === by?.column_id)?.sort;
    return by && sort ? sortRows(props.rows, sort, by.is_descending) : props.rows;
  });
  const ids = createMemo(() => rows().map(props.idOf));
  const cursor = createCursor(ids, props.returned_id);
  return {
    choice,
    rows,
    order,
    toggleOrder: (column_id: string) => setOrder(nextOrder(order(), column_id)),
    is_returned: props.returned_id !== undefined,
    idOf: props.idOf,
    nameOf: props.nameOf,
    ...cursor,
    ...createChosen(props, rows, ids),
    ...createDetails(props, rows),
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

function createDetails<T>({ idOf }: Pick<Listed<T>, 'idOf'>, rows: () => readonly T[]) {
  const [open_id, setOpenId] = createSignal<RowId>();
  /** Counts the openings, each of which takes the focus. */
  const [openings, setOpenings] = createSignal(0);
  const open = createMemo(() => rows().find((row) => idOf(row) === open_id()));
  createEffect(
    on(open, (row) => {
      if (!row) setOpenId(undefined); // it was deleted or filtered out
    }),
  );
  return {
    open,
    openings,
    isOpen: (row: T) => idOf(row) === open_id(),
    show(row: T) {
      setOpenId(idOf(row));
      setOpenings((count) => count + 1);
    },
    close: () => setOpenId(undefined),
  };
}
