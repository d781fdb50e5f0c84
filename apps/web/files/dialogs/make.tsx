import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { joinPath } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import type { FileTab } from '../file-tab.ts';
import { nameTrouble } from '../rights.ts';

interface Props {
  readonly what: 'directory' | 'file';
  readonly files: FileTab;
  readonly onClose: () => void;
}

/** Asks for the name of a new item. A file is created when the editor saves it. */
export function MakeEntry(props: Props) {
  const { t } = useApp();
  const { files } = props;
  const [name, setName] = createSignal('');
  const attempt = createAttempt();
  const is_file = () => props.what === 'file';
  const trouble = () => {
    const why = name() === '' ? undefined : nameTrouble(name(), files.all());
    return why && t(why);
  };
  async function make(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (nameTrouble(name(), files.all())) return;
    if (is_file()) {
      files.aim(name());
      files.viewNew(joinPath(files.path(), name()));
      props.onClose();
    } else if (await attempt.run(() => files.changes.makeDirectory(name()))) props.onClose();
  }
  return (
    <Dialog
      title={t(is_file() ? 'files_new_file' : 'files_new_directory').replace('…', '')}
      description={t('files_new_in', { path: files.path() })}
      onClose={props.onClose}
    >
      <form class="dialog-form" onSubmit={(event) => void make(event)}>
        <Field
          label={t('name')}
          value={name()}
          onChange={setName}
          error={trouble()}
          input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 255 }}
        />
        <Show when={attempt.error()}>
          <Trouble title={t('files_not_made', { name: name() })} error={attempt.error()} compact />
        </Show>
        <FormActions
          action={t(is_file() ? 'files_edit' : 'files_make')}
          blocked={name() === '' || trouble() !== undefined}
          busy={attempt.busy()}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}
