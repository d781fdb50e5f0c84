import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { isAllowed, nameOf, parentOf, tidyPath } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import type { FileServer } from '../../shell/panes/host.ts';
import { useTransfers } from '../../transfers/transfers.ts';
import { PathInput } from '../path/box.tsx';

interface Props {
  readonly server_id: number;
  readonly server: FileServer | undefined;
  /** The archive. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Asks for the directory to extract a ZIP archive into. */
export function ExtractArchive(props: Props) {
  const { t } = useApp();
  const transfers = useTransfers();
  const [path, setPath] = createSignal(props.path.replace(/\.[^./]+$/, ''));
  const why = (): TextKey | undefined => {
    if (props.server?.sftp_read_only) return 'files_why_read_only';
    return isAllowed(tidyPath(path()), props.server?.sftp_allowed_paths ?? [])
      ? undefined
      : 'files_why_target_outside';
  };
  function start(event: SubmitEvent): void {
    event.preventDefault();
    if (why()) return;
    transfers.extract({ server_id: props.server_id, path: props.path, target_path: tidyPath(path()) });
    props.onClose();
  }
  return (
    <Dialog
      title={t('archive_extract_of', { name: nameOf(props.path) })}
      description={t('archive_extract_text', { path: parentOf(props.path) })}
      onClose={props.onClose}
    >
      <form class="dialog-form" onSubmit={start}>
        <div class="field">
          <span class="field-label" aria-hidden="true">
            {t('files_target')}
          </span>
          <PathInput server_id={props.server_id} label={t('files_target')} value={path()} onInput={setPath} />
        </div>
        <Show when={why()}>
          {(key) => (
            <p class="field-hint" role="status">
              {t(key())}
            </p>
          )}
        </Show>
        <FormActions
          action={t('archive_extract')}
          blocked={path() === '' || why() !== undefined}
          busy={false}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
