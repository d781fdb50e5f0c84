import ArrowDown from 'lucide-solid/icons/arrow-down';
import ArrowUp from 'lucide-solid/icons/arrow-up';
import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { FileTab } from '../file-tab.ts';
import { COLUMNS, type Column } from './entries.ts';
import { PickAllBox } from './pick-box.tsx';

export function FileListHead(props: { files: FileTab }) {
  const { t } = useApp();
  return (
    <thead>
      <tr class="file-row file-head" aria-rowindex={1}>
        <th class="file-cell file-pick" scope="col">
          <PickAllBox files={props.files} />
        </th>
        <For each={COLUMNS}>{(column) => <ColumnHead column={column} files={props.files} />}</For>
        <th class="file-cell" scope="col">
          <span class="visually-hidden">{t('action')}</span>
        </th>
      </tr>
    </thead>
  );
}

function ColumnHead(props: { column: Column; files: FileTab }) {
  const { t } = useApp();
  const is_sorted = () => props.files.order().column === props.column;
  const direction = () => (props.files.order().descending ? 'descending' : 'ascending');
  return (
    <th class={`file-cell file-${props.column}`} scope="col" aria-sort={is_sorted() ? direction() : 'none'}>
      <button type="button" class="file-sort" onClick={() => props.files.sortBy(props.column)}>
        {t(`column_${props.column}`)}
        <Show when={is_sorted()}>
          <Show when={props.files.order().descending} fallback={<ArrowUp size={13} aria-hidden="true" />}>
            <ArrowDown size={13} aria-hidden="true" />
          </Show>
        </Show>
      </button>
    </th>
  );
}
