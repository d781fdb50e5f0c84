import { createMemo, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { QueryKey } from '../query-bar/keys.ts';
import { QueryBar } from '../query-bar/query-bar.tsx';
import { isEmpty } from '../query-bar/read.ts';
import { createQueryState, type QueryState } from '../query-bar/state.ts';
import { BulkBar } from './bulk-bar.tsx';
import type { BulkAction } from './bulk-run.ts';
import { ColumnMenu } from './column-menu.tsx';
import { Drawer } from './drawer.tsx';
import { TableGrid } from './grid.tsx';
import type { RowFilter } from './row-filter.ts';
import { createTableState, type Listed } from './state.ts';
import './table.css';

interface Props<T> extends Listed<T> {
  /** Id of the heading that names the table; or else its name. */
  readonly labelled_by?: string;
  readonly label?: string;
  /** The query is kept in the page's address, as `?q=`. */
  readonly filter?: RowFilter<T>;
  /** Next to the filter. */
  readonly tools?: JSX.Element;
  /** Actions on selected rows; without any, rows are not selected. */
  readonly bulk?: readonly BulkAction<T>[];
  /** The rows are one page of a longer list. */
  readonly is_part?: boolean;
  /** Something below a row, across all columns; such a table is not long. */
  readonly under?: ((row: T) => JSX.Element | undefined) | undefined;
  /** What the drawer shows about a row; not needed where `onOpen` opens the row's own page. */
  readonly details?: (row: T) => JSX.Element;
  /** Shown instead of a table without rows: what to do next. */
  readonly empty?: JSX.Element;
}

/** The table of every list: sorted, filtered, selected and opened with mouse or keyboard. */
export function DataTable<T>(props: Props<T>) {
  return (
    <Show
      when={props.rows.length > 0 || props.empty === undefined}
      fallback={<p class="empty">{props.empty}</p>}
    >
      <FilledTable {...props} />
    </Show>
  );
}

function FilledTable<T>(props: Props<T>) {
  const keys = createMemo(() => props.filter?.keys(props.rows) ?? []);
  const state = createQueryState(keys, props.filter?.param);
  const matching = createMemo(() => {
    const { filter } = props;
    const query = state.query();
    return filter && !isEmpty(query) ? props.rows.filter(filter.matches(query)) : props.rows;
  });
  const table = createTableState<T>({
    id: props.id,
    idOf: props.idOf,
    nameOf: props.nameOf,
    returned_id: props.returned_id,
    onOpen: props.onOpen,
    get columns() {
      return props.columns;
    },
    get rows() {
      return matching();
    },
    get all_rows() {
      return props.rows;
    },
  });
  return (
    <div class="table-whole">
      <TableTools
        {...props}
        keys={keys()}
        state={state}
        matching={matching().length}
        columns_menu={<ColumnMenu table={table} columns={props.columns} />}
      />
      <Show when={matching().length > 0} fallback={<p class="empty">{props.filter?.none}</p>}>
        <TableGrid
          table={table}
          labelled_by={props.labelled_by}
          label={props.label}
          is_selectable={(props.bulk ?? []).length > 0}
          is_part={props.is_part ?? false}
          under={props.under}
        />
      </Show>
      <BulkBar table={table} actions={props.bulk ?? []} />
      <Show when={props.details}>{(details) => <Drawer table={table}>{details()}</Drawer>}</Show>
    </div>
  );
}

interface ToolsProps<T> extends Pick<Props<T>, 'id' | 'filter' | 'tools' | 'rows'> {
  readonly keys: readonly QueryKey[];
  readonly state: QueryState;
  /** How many rows match. */
  readonly matching: number;
  readonly columns_menu: JSX.Element;
}

/** One line: the query bar, and the tools beside it. */
function TableTools<T>(props: ToolsProps<T>) {
  const { t } = useApp();
  const tools = () => (
    <>
      <Show when={props.filter && !isEmpty(props.state.query())}>
        <span class="table-soft table-matching" role="status">
          {t('table_matching', { shown: props.matching, total: props.rows.length })}
        </span>
      </Show>
      {props.tools}
      {props.columns_menu}
    </>
  );
  return (
    <div class="table-tools" classList={{ 'table-tools-alone': !props.filter && !props.tools }}>
      <Show when={props.filter} fallback={tools()}>
        {(filter) => (
          <QueryBar id={props.id} label={t(filter().label)} keys={props.keys} state={props.state}>
            {tools()}
          </QueryBar>
        )}
      </Show>
    </div>
  );
}
