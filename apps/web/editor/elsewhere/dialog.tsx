import { createSignal, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { isAbsolute, isAllowed, nameOf, tidyPath } from '../../lib/paths.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import type { FileServer } from '../../workspace/panes/host.ts';
import type { Elsewhere } from './elsewhere.ts';

interface Props {
  readonly elsewhere: Elsewhere;
  readonly server: FileServer | undefined;
  readonly path: string;
}

/** Asks for the path under which the text is saved. */
export function SaveElsewhere(props: Props) {
  const { t } = useApp();
  const { elsewhere } = props;
  const [path, setPath] = createSignal('');
  const [taken, setTaken] = createSignal<string>();
  onMount(() => {
    void elsewhere.suggest().then(
      (suggested) => path() === '' && setPath(suggested),
      () => {},
    );
  });
  const is_taken = () => taken() === path();
  const trouble = () => {
    if (path() === '') return undefined;
    if (!isAbsolute(path()) || path().endsWith('/')) return t('editor_elsewhere_absolute');
    const is_allowed = isAllowed(path(), props.server?.sftp_allowed_paths ?? []);
    return is_allowed ? undefined : t('files_why_outside');
  };
  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (path() === '' || trouble() !== undefined) return;
    const wanted = path();
    const outcome = await elsewhere.save(tidyPath(wanted), { replaces: is_taken() });
    setTaken(outcome === 'taken' ? wanted : undefined);
  }
  return (
    <Dialog
      title={t('editor_elsewhere').replace('…', '')}
      description={t('editor_elsewhere_text', { name: nameOf(props.path) })}
      onClose={elsewhere.cancel}
    >
      <form class="dialog-form" onSubmit={(event) => void save(event)}>
        <Field
          label={t('path')}
          value={path()}
          onChange={setPath}
          error={trouble() ?? (is_taken() ? t('editor_elsewhere_taken') : undefined)}
          input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 4095 }}
        />
        <Show when={elsewhere.attempt.error()}>
          <Trouble
            title={t('editor_save_failed', { name: nameOf(path()) })}
            error={elsewhere.attempt.error()}
            compact
          />
        </Show>
        <FormActions
          action={t(is_taken() ? 'editor_elsewhere_replace' : 'save')}
          blocked={path() === '' || trouble() !== undefined}
          busy={elsewhere.attempt.busy()}
          onCancel={elsewhere.cancel}
        />
      </form>
    </Dialog>
  );
}
