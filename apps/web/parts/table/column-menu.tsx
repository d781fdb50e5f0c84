import Columns3 from 'lucide-solid/icons/columns-3';
import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Menu, MenuItem, MenuSeparator, MenuToggle } from '../menu.tsx';
import type { Column } from './column.ts';
import type { TableState } from './state.ts';

interface Props<T> {
  readonly table: TableState<T>;
  readonly columns: readonly Column<T>[];
}

/** Shows and hides the columns that are neither the name nor the actions, and says which of them have no room. */
export function ColumnMenu<T>(props: Props<T>) {
  const { t } = useApp();
  const offered = () => props.columns.filter((column) => !column.is_row_name && !column.is_title_hidden);
  const { choice, widths, whyMissing } = props.table;
  const hintOf = (column: Column<T>) => {
    const why = whyMissing(column);
    return why && t(why === 'empty' ? 'table_column_empty' : 'table_column_no_room');
  };
  return (
    <Menu label={t('table_columns')} icon={<Columns3 size={16} aria-hidden="true" />} class="icon-button">
      <For each={offered()}>
        {(column) => (
          <MenuToggle
            label={t(column.title)}
            hint={hintOf(column)}
            checked={choice.isShown(column)}
            onChange={() => choice.toggle(column)}
          />
        )}
      </For>
      <Show when={Object.keys(widths.set()).length > 0}>
        <MenuSeparator />
        <MenuItem label={t('table_reset_widths')} onSelect={widths.reset} />
      </Show>
    </Menu>
  );
}
