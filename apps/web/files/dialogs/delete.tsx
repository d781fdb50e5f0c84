import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { createBatchRun } from '../changes/batch-run.ts';
import type { FileTab } from '../file-tab.ts';
import type { Entry } from '../list/entries.ts';
import { BatchForm } from './batch-form.tsx';

const MOST_NAMED = 8;

interface Props {
  readonly entries: readonly Entry[];
  readonly files: FileTab;
  readonly onClose: () => void;
}

/** Names what is about to be deleted. */
export function DeleteFiles(props: Props) {
  const { t } = useApp();
  const { entries, files } = props;
  const run = createBatchRun();
  const has_directories = entries.some(({ is_dir, is_symlink }) => is_dir && !is_symlink);
  const [only] = entries;
  const title =
    entries.length === 1 && only
      ? t('delete_of', { name: only.name })
      : t('files_delete_many', { count: entries.length });

  async function remove(): Promise<void> {
    const gone = new Set(run.outcome()?.done);
    const due = entries.filter(({ path }) => !gone.has(path));
    if (await run.start(due.length, (progress) => files.changes.remove(due, progress))) props.onClose();
  }
  return (
    <Dialog
      title={title}
      description={t(has_directories ? 'files_delete_directories' : 'files_delete_text')}
      onClose={() => (run.running() ? run.cancel() : props.onClose())}
    >
      <BatchForm
        run={run}
        action={t('delete')}
        danger
        failure={(values) => t('files_not_deleted', values)}
        onStart={() => void remove()}
        onClose={props.onClose}
      >
        <ul class="file-names">
          <For each={entries.slice(0, MOST_NAMED)}>{(entry) => <NameLine entry={entry} />}</For>
          <Show when={entries.length > MOST_NAMED}>
            <li>{t('files_more', { count: entries.length - MOST_NAMED })}</li>
          </Show>
        </ul>
      </BatchForm>
    </Dialog>
  );
}

/** Deleting a link does not delete its target. */
function NameLine(props: { entry: Entry }) {
  const { t } = useApp();
  return (
    <li>
      <code>
        <Name
          text={props.entry.is_dir && !props.entry.is_symlink ? `${props.entry.name}/` : props.entry.name}
        />
      </code>
      <Show when={props.entry.is_symlink}> {t('files_link_itself')}</Show>
    </li>
  );
}
