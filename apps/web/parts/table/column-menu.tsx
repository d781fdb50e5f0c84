import Columns3 from 'lucide-solid/icons/columns-3';
import { For } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Menu, MenuToggle } from '../menu.tsx';
import type { Column } from './column.ts';
import type { ColumnChoice } from './kept-columns.ts';

interface Props<T> {
  readonly choice: ColumnChoice<T>;
  readonly columns: readonly Column<T>[];
}

/** Shows and hides the columns that are neither the name nor the actions. */
export function ColumnMenu<T>(props: Props<T>) {
  const { t } = useApp();
  const offered = () => props.columns.filter((column) => !column.is_row_name && !column.is_title_hidden);
  return (
    <Menu label={t('table_columns')} icon={<Columns3 size={16} aria-hidden="true" />} class="icon-button">
      <For each={offered()}>
        {(column) => (
          <MenuToggle
            label={t(column.title)}
            checked={props.choice.isShown(column)}
            onChange={() => props.choice.toggle(column)}
          />
        )}
      </For>
    </Menu>
  );
}
