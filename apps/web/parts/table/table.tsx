import Search from 'lucide-solid/icons/search';
import { createMemo, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { createAddressText } from '../../lib/address-text.ts';
import { BulkBar } from './bulk-bar.tsx';
import type { BulkAction } from './bulk-run.ts';
import { ColumnMenu } from './column-menu.tsx';
import { Drawer } from './drawer.tsx';
import { TableGrid } from './grid.tsx';
import { createTableState, type Listed } from './state.ts';
import './table.css';

export interface RowFilter<T> {
  readonly label: TextKey;
  /** The test of a row for a typed text. */
  readonly matches: (text: string) => (row: T) => boolean;
  /** Shown when no row matches. */
  readonly none: string;
}

interface Props<T> extends Listed<T> {
  /** Id of the heading that names the table; or else its name. */
  readonly labelled_by?: string;
  readonly label?: string;
  /** The text is kept in the page's address, as `?q=`. */
  readonly filter?: RowFilter<T>;
  /** Next to the filter. */
  readonly tools?: JSX.Element;
  /** Actions on selected rows; without any, rows are not selected. */
  readonly bulk?: readonly BulkAction<T>[];
  /** The rows are one page of a longer list. */
  readonly is_part?: boolean;
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
  const { t } = useApp();
  const typed = createAddressText('q');
  const text = () => typed.text().trim();
  const matching = createMemo(() => {
    const { filter } = props;
    return filter && text() !== '' ? props.rows.filter(filter.matches(text())) : props.rows;
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
  });
  return (
    <div class="table-whole">
      <div class="table-tools" classList={{ 'table-tools-alone': !props.filter && !props.tools }}>
        <Show when={props.filter}>
          {(filter) => <FilterBox label={t(filter().label)} text={typed.text()} onType={typed.type} />}
        </Show>
        <Show when={text() !== ''}>
          <span class="table-soft" role="status">
            {t('table_matching', { shown: matching().length, total: props.rows.length })}
          </span>
        </Show>
        {props.tools}
        <span class="actions-gap" />
        <ColumnMenu choice={table.choice} columns={props.columns} />
      </div>
      <Show when={matching().length > 0} fallback={<p class="empty">{props.filter?.none}</p>}>
        <TableGrid
          table={table}
          labelled_by={props.labelled_by}
          label={props.label}
          is_selectable={(props.bulk ?? []).length > 0}
          is_part={props.is_part ?? false}
        />
      </Show>
      <BulkBar table={table} actions={props.bulk ?? []} />
      <Show when={props.details}>{(details) => <Drawer table={table}>{details()}</Drawer>}</Show>
    </div>
  );
}

function FilterBox(props: { label: string; text: string; onType: (text: string) => void }) {
  return (
    <label class="table-filter">
      <Search size={15} aria-hidden="true" />
      <input
        type="search"
        aria-label={props.label}
        placeholder={props.label}
        autocomplete="off"
        spellcheck={false}
        value={props.text}
        onInput={(event) => props.onType(event.currentTarget.value)}
      />
    </label>
  );
}
