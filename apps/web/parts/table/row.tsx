import { createEffect, For, type JSX, Show } from 'solid-js';
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
  readonly is_selectable: boolean;
}

export function TableRow<T>(props: Props<T>) {
  const { t } = useApp();
  const name = () => props.table.nameOf(props.row);
  return (
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
  );
}

function Cell<T>(props: Props<T> & { column: Column<T> }) {
  const { column } = props;
  return column.is_row_name ? (
    <th
      scope="row"
      class={column.class}
      title={shownName(column.tooltip?.(props.row) ?? props.table.nameOf(props.row))}
    >
      <button
        type="button"
        class="table-name"
        tabIndex={props.table.cursor() === props.index ? 0 : -1}
        aria-expanded={props.table.isOpen(props.row)}
        onFocus={() => props.table.setCursor(props.index)}
      >
        {drawnName(column.cell(props.row))}
      </button>
    </th>
  ) : (
    <td
      class={column.class}
      classList={{ 'table-actions': column.is_title_hidden ?? false }}
      title={shownName(column.tooltip?.(props.row) ?? '') || undefined}
    >
      {drawn(column.cell(props.row))}
    </td>
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
