import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { parentOf } from '../../lib/paths.ts';
import { MenuItem } from '../../parts/menu.tsx';
import { useTransfers } from '../../transfers/transfers.ts';
import type { FileTab } from '../file-tab.ts';
import { isArchive } from '../viewer/kind.ts';

/** For one selected ZIP archive. */
export function ExtractItems(props: { files: FileTab }) {
  const { t } = useApp();
  const transfers = useTransfers();
  const archive = () => {
    const [entry, ...others] = props.files.targets();
    return entry && others.length === 0 && !entry.is_dir && isArchive(entry.name) ? entry : undefined;
  };
  return (
    <Show when={archive()}>
      {(entry) => (
        <>
          <MenuItem
            label={t('archive_extract_here')}
            why={props.files.hindrance('extract')}
            onSelect={() => {
              const { path } = entry();
              transfers.extract({ server_id: props.files.server_id, path, target_path: parentOf(path) });
            }}
          />
          <MenuItem
            label={t('archive_extract_to')}
            why={props.files.hindrance('extract')}
            onSelect={() => props.files.showDialog({ kind: 'extract', path: entry().path })}
          />
        </>
      )}
    </Show>
  );
}
