import { useApp } from '../../app/context.ts';
import { MenuItem } from '../../parts/menu.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import type { FileTab } from '../file-tab.ts';

/** Tells who changed the one file that is selected. */
export function ChangesItem(props: { files: FileTab; workspace: Workspace }) {
  const { t } = useApp();
  const file = () => {
    const [only, ...others] = props.files.targets();
    return only && others.length === 0 && !only.is_dir && only.addressable ? only : undefined;
  };
  function show(): void {
    const chosen = file();
    if (!chosen) return;
    const { server_id, server } = props.files;
    props.workspace.show({
      kind: 'file_changes',
      file: { server_id, server_name: server()?.name ?? '', path: chosen.path },
    });
  }
  return (
    <MenuItem
      label={t('file_changes')}
      why={file() ? undefined : t('file_changes_why_one')}
      onSelect={show}
    />
  );
}
