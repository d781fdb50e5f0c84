import Download from 'lucide-solid/icons/download';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatSize } from '../../lib/format.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { isByteName, spelledName } from '../../lib/paths.ts';
import { CutName } from '../../parts/cut-name.tsx';
import { Name } from '../../parts/name.tsx';
import { Time } from '../../parts/time.tsx';
import type { FileDrops } from '../drag/drops.ts';
import type { DragStart } from '../drag/start.ts';
import type { FileTab } from '../file-tab.ts';
import type { Entry } from './entries.ts';
import { EntryIcon } from './entry-icon.tsx';
import { NameBox } from './name-box.tsx';
import { PickBox } from './pick-box.tsx';
import type { RowClicks } from './row-clicks.ts';

interface Props {
  readonly entry: Entry;
  readonly index: number;
  readonly id: string;
  readonly files: FileTab;
  readonly clicks: RowClicks<Entry>;
  readonly drops: FileDrops;
  readonly drag_start: DragStart;
  readonly onFocus: () => void;
}

const FITTING_LENGTH = 24;

export function rowId(grid_id: string, index: number): string {
  return `${grid_id}-row-${index}`;
}

export function FileRow(props: Props) {
  const { preferences } = useApp();
  const language = () => preferences.values.language;
  return (
    <tr
      class="file-row"
      classList={{
        'file-off': !props.entry.addressable,
        'file-current': props.files.cursor() === props.index,
        'file-being-named': props.files.renaming() === props.entry.path,
        'file-drop': props.entry.is_dir && props.drops.over() === props.entry.path,
      }}
      id={props.id}
      data-index={props.index}
      draggable={props.drag_start.isDraggable(props.entry)}
      onDragStart={(event) => props.drag_start.onDragStart(event, props.index)}
      aria-rowindex={props.index + 2}
      aria-selected={props.files.isChosen(props.entry.path)}
      aria-disabled={!props.entry.addressable}
      onClick={(event) => props.clicks.onRow(props.entry, props.index, event)}
      onDblClick={() => props.clicks.onDouble(props.entry)}
    >
      <td class="file-cell file-pick">
        <PickBox entry={props.entry} index={props.index} files={props.files} />
      </td>
      <NameCell {...props} />
      <td class="file-cell file-size">
        {props.entry.is_dir ? '' : formatSize(props.entry.size, language())}
      </td>
      <td class="file-cell file-modified">
        <Time at={props.entry.modified} />
      </td>
      <td class="file-cell file-owner" title={shownName(props.entry.owner)}>
        <Name text={props.files.ownerOf(props.entry)} />
      </td>
      <td class="file-cell file-group" title={shownName(props.entry.group)}>
        <Name text={props.files.groupOf(props.entry)} />
      </td>
      <td class="file-cell file-permissions">{props.entry.permissions}</td>
      <td class="file-cell file-actions">
        <DownloadButton entry={props.entry} files={props.files} />
      </td>
    </tr>
  );
}

function NameCell(props: Props) {
  const { t } = useApp();
  const title = () => {
    const { addressable, name, path, link_target } = props.entry;
    if (!addressable) return t('not_addressable');
    const shown = isByteName(path) ? t('name_in_bytes', { name }) : name;
    return link_target === null ? shown : `${shown} → ${link_target}`;
  };
  return (
    <td class="file-cell file-name" title={shownName(title())}>
      <EntryIcon entry={props.entry} />
      <Show
        when={props.files.renaming() === props.entry.path}
        fallback={
          <button
            type="button"
            class="file-open"
            tabIndex={-1}
            aria-disabled={!props.entry.addressable}
            onClick={(event) => {
              event.stopPropagation();
              props.clicks.onName(props.entry, props.index, event);
            }}
          >
            <CutName text={props.entry.name} fitting_length={FITTING_LENGTH} />
          </button>
        }
      >
        <NameBox entry={props.entry} files={props.files} onDone={props.onFocus} />
      </Show>
      <Show when={isByteName(props.entry.path)}>
        <span class="file-spelled">{spelledName(props.entry.path)}</span>
      </Show>
      <Show when={props.entry.link_target}>
        {(target) => (
          <span class="file-target">
            → <Name text={target()} />
          </span>
        )}
      </Show>
    </td>
  );
}

function DownloadButton(props: { entry: Entry; files: FileTab }) {
  const { t } = useApp();
  return (
    <Show when={!props.entry.is_dir && props.entry.addressable}>
      <button
        type="button"
        class="icon-button icon-button-small"
        tabIndex={-1}
        aria-label={t('download_of', { name: props.entry.name })}
        title={t('download')}
        onClick={(event) => {
          event.stopPropagation();
          void props.files.download(props.entry.path);
        }}
      >
        <Download size={15} aria-hidden="true" />
      </button>
    </Show>
  );
}
