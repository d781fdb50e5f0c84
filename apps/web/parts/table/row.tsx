import { children, createEffect, createMemo, For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { CutName } from '../cut-name.tsx';
import type { Column } from './column.ts';
import { drawn } from './drawer.tsx';
import type { TableState } from './state.ts';

interface Props<T> {
  readonly row: T;
  readonly index: number;
  readonly table: TableState<T>;
  readonly columns: readonly Column<T>[];
  /** In a narrow table: what is on the line of the name, and what is below it. */
  readonly beside: readonly Column<T>[];
  readonly below: readonly Column<T>[];
  readonly is_selectable: boolean;
  readonly under: ((row: T) => JSX.Element | undefined) | undefined;
  /** While the table jumps, the buttons of new rows can wait: they take longer than the rest of the row. */
  readonly is_jumping: boolean;
}

export function TableRow<T>(props: Props<T>) {
  const { t } = useApp();
  const name = () => props.table.nameOf(props.row);
  return (
    <>
      <tr
        class="table-row"
        classList={{
          'table-chosen': props.table.isChosen(props.row),
          'table-open': props.table.isOpen(props.row),
        }}
        data-index={props.index}
        aria-rowindex={props.index + 2}
      >
        <Show when={props.is_selectable}>
          <td class="table-pick">
            <label class="table-check">
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={t('table_select_of', { name: name() })}
                checked={props.table.isChosen(props.row)}
              />
            </label>
          </td>
        </Show>
        <For each={props.columns}>{(column) => <Cell {...props} column={column} />}</For>
      </tr>
      <Show when={props.under}>{(under) => <Under {...props} shown={under()} />}</Show>
    </>
  );
}

/** What is below a row belongs to it. */
function Under<T>(props: Props<T> & { shown: (row: T) => JSX.Element | undefined }) {
  const shown = children(() => props.shown(props.row));
  return (
    <Show when={shown()}>
      <tr class="table-under">
        <td colSpan={props.columns.length + (props.is_selectable ? 1 : 0)}>{shown()}</td>
      </tr>
    </Show>
  );
}

function Cell<T>(props: Props<T> & { column: Column<T> }) {
  const { column } = props;
  const is_due = column.is_title_hidden
    ? createMemo((was_due: boolean) => was_due || !props.is_jumping, false)
    : () => true;
  return column.is_row_name ? (
    <th
      scope="row"
      class={column.class}
      title={shownName(column.tooltip?.(props.row) ?? props.table.nameOf(props.row))}
    >
      <span class="table-first">
        <button
          type="button"
          class="table-name"
          tabIndex={props.table.cursor() === props.index ? 0 : -1}
          aria-expanded={props.table.has_details ? props.table.isOpen(props.row) : undefined}
          onFocus={() => props.table.setCursor(props.index)}
        >
          {drawnName(column.cell(props.row))}
        </button>
        <For each={props.beside}>
          {(beside) => <span class="table-beside">{drawn(beside.cell(props.row))}</span>}
        </For>
      </span>
      <Show when={props.below.length > 0}>
        <span class="table-second">
          <For each={props.below}>{(below) => <Below row={props.row} column={below} />}</For>
        </span>
      </Show>
    </th>
  ) : (
    <td
      class={column.class}
      classList={{ 'table-actions': column.is_title_hidden ?? false }}
      title={shownName(column.tooltip?.(props.row) ?? '') || undefined}
    >
      <Show when={is_due()}>{drawn(column.cell(props.row))}</Show>
    </td>
  );
}

/** Nothing is shown of a cell without a value. */
function Below<T>(props: { row: T; column: Column<T> }) {
  const { t } = useApp();
  const value = children(() => props.column.cell(props.row));
  const is_known = () => value() !== '' && value() !== undefined && value() !== null;
  return (
    <Show when={is_known()}>
      <span title={shownName(props.column.tooltip?.(props.row) ?? '') || undefined}>
        <span class="visually-hidden">{t(props.column.title)}: </span>
        {drawn(value())}
      </span>
    </Show>
  );
}

function drawnName(value: JSX.Element): JSX.Element {
  return typeof value === 'string' ? <CutName text={value} /> : value;
}

/** Selects all rows that the filter leaves, or none. */
export function PickAll<T>(props: { table: TableState<T> }) {
  const { t } = useApp();
  const count = () => props.table.chosen().length;
  const is_all = () => count() > 0 && count() === props.table.rows().length;
  let box: HTMLInputElement | undefined;
  createEffect(() => {
    if (box) box.indeterminate = count() > 0 && !is_all();
  });
  return (
    <th scope="col" class="table-pick">
      <label class="table-check">
        <input
          ref={box}
          type="checkbox"
          checked={is_all()}
          aria-label={t('table_select_all')}
          title={`${t('table_select_all')} (Ctrl+A)`}
          onClick={() => (count() > 0 ? props.table.chooseNone() : props.table.chooseAll())}
        />
      </label>
    </th>
  );
}
