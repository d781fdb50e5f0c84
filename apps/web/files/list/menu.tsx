import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { MenuGroup, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { usePaneHost } from '../../workspace/panes/host.ts';
import { ExtractItems } from '../archive/extract-items.tsx';
import { CompareItems } from '../compare.tsx';
import type { FileTab } from '../file-tab.ts';
import { ChangesItem } from '../old-copies/item.tsx';

/** Actions for the selection or the directory itself. */
export function FileMenu(props: { files: FileTab; on_row: boolean; is_toolbar?: boolean }) {
  const { t } = useApp();
  return (
    <>
      <Show when={props.on_row}>
        <TargetItems files={props.files} />
        <MenuSeparator />
      </Show>
      <MenuGroup label={props.files.hindrance('make')}>
        <MenuItem
          label={t('files_new_directory')}
          hint="F7"
          why={props.files.hindrance('make')}
          onSelect={() => props.files.make('directory')}
        />
        <MenuItem
          label={t('files_new_file')}
          why={props.files.hindrance('make')}
          onSelect={() => props.files.make('file')}
        />
      </MenuGroup>
      <TerminalItem files={props.files} on_row={props.on_row && props.is_toolbar !== true} />
      <MenuItem label={t('files_select_all')} hint="Ctrl+A" onSelect={props.files.selectAll} />
      <MenuItem label={t('files_search')} hint="Ctrl+F" onSelect={props.files.openSearch} />
      <MenuItem label={t('refresh')} onSelect={() => void props.files.refresh()} />
    </>
  );
}

/** In the one directory that is selected, or else in the listed one. */
function TerminalItem(props: { files: FileTab; on_row: boolean }) {
  const { t } = useApp();
  const place = () => {
    const [entry, ...others] = props.on_row ? props.files.targets() : [];
    return entry?.is_dir && others.length === 0 ? entry.path : props.files.path();
  };
  return (
    <Show when={props.files.terminal}>
      {(terminal) => (
        <MenuItem
          label={t('files_terminal')}
          why={terminal().why(place())}
          onSelect={() => terminal().open(place())}
        />
      )}
    </Show>
  );
}

function TargetItems(props: { files: FileTab }) {
  const { t } = useApp();
  const { workspace } = usePaneHost();
  const why = (action: Parameters<FileTab['hindrance']>[0]) => props.files.hindrance(action);
  return (
    <>
      <MenuItem
        label={t('files_open')}
        hint="Enter"
        why={why('open')}
        onSelect={() => props.files.act('open', ([entry]) => props.files.openEntry(entry))}
      />
      <MenuItem
        label={t('download')}
        why={why('download')}
        onSelect={() => props.files.act('download', (entries) => void props.files.downloadAll(entries))}
      />
      <ExtractItems files={props.files} />
      <MenuSeparator />
      <MenuItem
        label={t('files_rename')}
        hint="F2"
        why={why('rename')}
        later // the box takes the focus
        onSelect={props.files.rename}
      />
      <MenuItem label={t('files_send')} why={why('copy')} onSelect={props.files.send} />
      <MenuItem label={t('files_chmod')} why={why('chmod')} onSelect={() => props.files.ask('chmod')} />
      <Show when={workspace}>{(whole) => <CompareItems files={props.files} workspace={whole()} />}</Show>
      <MenuItem label={t('files_copy_path')} why={why('copy_path')} onSelect={props.files.copyPaths} />
      <Show when={workspace}>{(whole) => <ChangesItem files={props.files} workspace={whole()} />}</Show>
      <MenuItem
        label={t('files_properties')}
        hint="Alt+Enter"
        why={why('properties')}
        onSelect={() => props.files.ask('properties')}
      />
      <MenuItem
        label={t('delete')}
        hint="Del"
        danger
        why={why('delete')}
        onSelect={() => props.files.ask('delete')}
      />
    </>
  );
}
