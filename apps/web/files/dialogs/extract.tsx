import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { isAllowed, nameOf, parentOf, tidyPath } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { useTransfers } from '../../transfers/transfers.ts';
import type { FileServer } from '../../workspace/panes/host.ts';
import { NameEncodingField } from '../archive/encoding.tsx';
import { createArchiveListing, tellingNames } from '../archive/listing.ts';
import { PathInput } from '../path/box.tsx';

interface Props {
  readonly server_id: number;
  readonly server: FileServer | undefined;
  /** The archive. */
  readonly path: string;
  /** All members by default. */
  readonly members?: readonly string[] | undefined;
  /** The encoding of names that the user chose in the archive view. */
  readonly encoding?: string | undefined;
  readonly onClose: () => void;
}

/** Asks for the directory to extract a ZIP archive, or some of its members, into. */
export function ExtractArchive(props: Props) {
  const { t } = useApp();
  const transfers = useTransfers();
  const { query, ...names } = createArchiveListing(() => props, props.encoding);
  const [path, setPath] = createSignal(props.path.replace(/\.[^./]+$/, ''));
  const why = (): TextKey | undefined => {
    if (props.server?.sftp_read_only) return 'files_why_read_only';
    return isAllowed(tidyPath(path()), props.server?.sftp_allowed_paths ?? [])
      ? undefined
      : 'files_why_target_outside';
  };
  const title = () => {
    const name = nameOf(props.path);
    const { members } = props;
    return members
      ? t('archive_extract_chosen_of', { name, count: members.length })
      : t('archive_extract_of', { name });
  };
  function start(event: SubmitEvent): void {
    event.preventDefault();
    if (why()) return;
    const { server_id, path: archive_path, members } = props;
    transfers.extract({
      server_id,
      path: archive_path,
      members,
      encoding: names.encoding(),
      target_path: tidyPath(path()),
    });
    props.onClose();
  }
  return (
    <Dialog
      title={title()}
      description={t(props.members ? 'archive_extract_chosen_text' : 'archive_extract_text', {
        path: parentOf(props.path),
      })}
      onClose={props.onClose}
    >
      <form class="dialog-form" onSubmit={start}>
        <div class="field">
          <span class="field-label" aria-hidden="true">
            {t('files_target')}
          </span>
          <PathInput server_id={props.server_id} label={t('files_target')} value={path()} onInput={setPath} />
        </div>
        <Show when={!props.members}>
          <NameEncodingField names={names} preview={query.data && tellingNames(query.data)} />
        </Show>
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
