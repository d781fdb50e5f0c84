import Download from 'lucide-solid/icons/download';
import File from 'lucide-solid/icons/file';
import FileSymlink from 'lucide-solid/icons/file-symlink';
import Folder from 'lucide-solid/icons/folder';
import FolderSymlink from 'lucide-solid/icons/folder-symlink';
import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import type { FileTab } from '../state/files.ts';
import { formatInstant, formatSize } from '../state/format.ts';
import type { Entry } from '../state/listing.ts';

interface Props {
  readonly entry: Entry;
  readonly index: number;
  readonly id: string;
  readonly top_px: number;
  readonly height_px: number;
  readonly files: FileTab;
}

export function rowId(grid_id: string, index: number): string {
  return `${grid_id}-row-${index}`;
}

export function FileRow(props: Props) {
  const { preferences, t } = useApp();
  const language = () => preferences.values.language;
  const is_current = () => props.files.cursor() === props.index;
  const title = () => {
    if (!props.entry.addressable) return t('not_addressable');
    return props.entry.link_target === null ? props.entry.name : `${props.entry.name} → ${props.entry.link_target}`;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
    <div
      class="file-row"
      classList={{ 'file-off': !props.entry.addressable }}
      role="row"
      tabindex={-1}
      id={props.id}
      aria-rowindex={props.index + 2}
      aria-selected={is_current()}
      aria-disabled={!props.entry.addressable}
      style={{ transform: `translateY(${props.top_px}px)`, height: `${props.height_px}px` }}
      onClick={() => props.files.setCursor(props.index)}
      onDblClick={() => props.files.openEntry(props.entry)}
    >
      <span class="file-cell file-name" role="gridcell" title={title()}>
        <EntryIcon entry={props.entry} />
        <button
          type="button"
          class="file-open"
          tabindex={-1}
          aria-disabled={!props.entry.addressable}
          onClick={() => props.files.openEntry(props.entry)}
        >
          {props.entry.name}
        </button>
      </span>
      <span class="file-cell file-size" role="gridcell">
        {props.entry.is_dir ? '' : formatSize(props.entry.size, language())}
      </span>
      <span class="file-cell file-modified" role="gridcell" title={props.entry.modified}>
        {formatInstant(props.entry.modified, language())}
      </span>
      <span class="file-cell file-permissions" role="gridcell">
        {props.entry.permissions}
      </span>
      <span class="file-cell file-actions" role="gridcell">
        <Show when={!props.entry.is_dir && props.entry.addressable}>
          <button
            type="button"
            class="icon-button icon-button-small"
            tabindex={-1}
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
      </span>
    </div>
  );
}

function EntryIcon(props: { entry: Entry }) {
  const { t } = useApp();
  return (
    <Switch>
      <Match when={props.entry.is_dir && props.entry.is_symlink}>
        <FolderSymlink class="icon-folder" size={16} role="img" aria-label={t('directory_link')} />
      </Match>
      <Match when={props.entry.is_dir}>
        <Folder class="icon-folder" size={16} role="img" aria-label={t('directory')} />
      </Match>
      <Match when={props.entry.is_symlink}>
        <FileSymlink class="icon-file" size={16} role="img" aria-label={t('file_link')} />
      </Match>
      <Match when={true}>
        <File class="icon-file" size={16} role="img" aria-label={t('file')} />
      </Match>
    </Switch>
  );
}
