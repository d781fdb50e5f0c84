import File from 'lucide-solid/icons/file';
import Folder from 'lucide-solid/icons/folder';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatSize } from '../../lib/format.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { Name } from '../../parts/name.tsx';
import { Time } from '../../parts/time.tsx';
import { PickBox } from '../list/pick-box.tsx';
import type { RowClicks } from '../list/row-clicks.ts';
import { type ArchiveRows, hindranceOf, type MemberRow } from './rows.ts';

interface Props {
  readonly row: MemberRow;
  readonly index: number;
  readonly id: string;
  readonly rows: ArchiveRows;
  readonly clicks: RowClicks<MemberRow>;
}

export function ArchiveRowView(props: Props) {
  const { preferences } = useApp();
  const language = () => preferences.values.language;
  return (
    <tr
      id={props.id}
      data-index={props.index}
      classList={{ 'archive-current': props.rows.cursor() === props.index }}
      aria-rowindex={props.index + 2}
      aria-selected={props.rows.isChosen(props.row.path)}
      aria-disabled={!props.row.addressable}
      onClick={(event) => props.clicks.onRow(props.row, props.index, event)}
      onDblClick={() => props.clicks.onDouble(props.row)}
    >
      <td>
        <PickBox entry={props.row} index={props.index} files={props.rows} />
      </td>
      <td>
        <NameButton {...props} />
      </td>
      <td>{props.row.is_dir || !props.row.entry ? '' : formatSize(props.row.entry.size, language())}</td>
      <td>
        <Show when={props.row.entry}>{(entry) => <Time at={entry().modified} />}</Show>
      </td>
    </tr>
  );
}

function NameButton(props: Props) {
  const { t } = useApp();
  const why = () => {
    const key = hindranceOf(props.row);
    return key && t(key);
  };
  return (
    <button
      type="button"
      class="archive-open"
      tabIndex={-1}
      title={why() ?? shownName(props.row.name)}
      aria-disabled={!props.row.addressable}
      onClick={(event) => {
        event.stopPropagation();
        props.clicks.onName(props.row, props.index, event);
      }}
    >
      <Show when={props.row.is_dir} fallback={<File size={16} aria-hidden="true" />}>
        <Folder size={16} aria-hidden="true" />
      </Show>
      <Name text={props.row.name} />
      <Show when={why()}>{(text) => <span class="archive-why">{text()}</span>}</Show>
    </button>
  );
}
