import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import type { TextKey } from '../i18n/languages.ts';
import './table.css';

export interface Column<T> {
  readonly title: TextKey;
  /** Only screen readers get the title, as above a column of buttons. */
  readonly is_title_hidden?: boolean;
  /** Its cells are the names of the rows. */
  readonly is_row_name?: boolean;
  /** Where the cells of a row are stacked, each has the title beside it. */
  readonly is_labelled?: boolean;
  readonly class?: string;
  readonly tooltip?: (row: T) => string;
  readonly cell: (row: T) => JSX.Element;
}

interface Props<T> {
  readonly class: string;
  /** Id of the heading that names the table; or else its name. */
  readonly labelled_by?: string;
  readonly label?: string;
  /** Read once: the cells themselves are reactive. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Shown instead of a table without rows. */
  readonly empty?: string;
}

/** A table that scrolls sideways where it is too wide, and stacks its cells on narrow screens. */
export function Table<T>(props: Props<T>) {
  const { t } = useApp();
  const { columns } = props;
  return (
    <Show
      when={props.rows.length > 0 || props.empty === undefined}
      fallback={<p class="empty">{props.empty}</p>}
    >
      <div class="table-place">
        <table class={`table ${props.class}`} aria-labelledby={props.labelled_by} aria-label={props.label}>
          <thead>
            <tr>
              <For each={columns}>
                {({ title, is_title_hidden }) => (
                  <th scope="col">
                    {is_title_hidden ? <span class="visually-hidden">{t(title)}</span> : t(title)}
                  </th>
                )}
              </For>
            </tr>
          </thead>
          <tbody>
            <For each={props.rows}>
              {(row) => (
                <tr>
                  <For each={columns}>{(column) => <Cell column={column} row={row} />}</For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Show>
  );
}

function Cell<T>(props: { column: Column<T>; row: T }) {
  const { t } = useApp();
  const { column, row } = props;
  return column.is_row_name ? (
    <th scope="row" class={column.class}>
      {column.cell(row)}
    </th>
  ) : (
    <td
      class={column.class}
      title={column.tooltip?.(row)}
      data-label={column.is_labelled ? t(column.title) : undefined}
    >
      {column.cell(row)}
    </td>
  );
}
