import { createSignal, Show } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { useApp } from '../app-context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { EditDialog } from '../parts/dialogs/edit.tsx';
import { Field } from '../parts/fields/field.tsx';
import { FormActions } from '../parts/fields/form-actions.tsx';
import { createFormErrors } from '../parts/fields/form-errors.ts';
import { SwitchField } from '../parts/fields/switch.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { draftOf, placeholdersOf, type Snippet, type SnippetDraft, saveSnippet } from './snippets.ts';

const COMMAND_LENGTH = 4096;

interface Props {
  /** Undefined for a new snippet. */
  readonly snippet: Snippet | undefined;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function SnippetForm(props: Props) {
  const { session, t } = useApp();
  const form = createForm(props);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (await form.save()) props.onClose();
  }

  return (
    <EditDialog
      title={props.snippet ? t('edit_of', { name: props.snippet.name }) : t('snippet_create')}
      wide
      dirty={form.dirty()}
      onClose={props.onClose}
    >
      {(close) => (
        <form class="dialog-form" onSubmit={(event) => void submit(event)}>
          <Field
            label={t('name')}
            value={form.draft.name}
            onChange={(name) => form.set({ name })}
            error={form.errorAt('name')}
            required
            input={{ autocomplete: 'off', maxlength: 80 }}
          />
          <CommandField form={form} />
          <Field
            label={t('description')}
            value={form.draft.description}
            onChange={(description) => form.set({ description })}
            error={form.errorAt('description')}
            input={{ autocomplete: 'off', maxlength: 500 }}
          />
          <SwitchField
            label={t('snippet_asks')}
            description={t('snippet_asks_text')}
            checked={form.draft.confirm}
            onChange={(confirm) => form.set({ confirm })}
          />
          <Show when={session.user()?.is_admin}>
            <SwitchField
              label={t('snippet_share')}
              description={t('snippet_share_text')}
              checked={form.draft.shared}
              onChange={(shared) => form.set({ shared })}
            />
          </Show>
          <Show when={form.error()}>
            <Trouble title={t('snippet_not_saved')} error={form.error()} compact />
          </Show>
          <FormActions action={t('save')} busy={form.busy()} onCancel={close} />
        </form>
      )}
    </EditDialog>
  );
}

function CommandField(props: { form: SnippetFormState }) {
  const { t } = useApp();
  const about = () => {
    const names = placeholdersOf(props.form.draft.command);
    return names.length > 0 ? t('snippet_asks_for', { names: names.join(', ') }) : t('snippet_command_hint');
  };
  return (
    <Field
      label={t('snippet_command')}
      value={props.form.draft.command}
      onChange={(command) => props.form.set({ command })}
      description={about()}
      error={props.form.errorAt('command')}
      required
      multiline
      class="field-mono"
      area={{ rows: 4, autocomplete: 'off', autocapitalize: 'none', maxlength: COMMAND_LENGTH }}
    />
  );
}

function createForm(props: Props) {
  const { client } = useApp();
  const attempt = createAttempt();
  const [draft, update] = createStore<SnippetDraft>(draftOf(props.snippet));
  const [dirty, setDirty] = createSignal(false);
  return {
    draft,
    dirty,
    busy: attempt.busy,
    ...createFormErrors(attempt.error, { fields: () => ['name', 'command', 'description'] }),
    set(change: Partial<SnippetDraft>) {
      setDirty(true);
      attempt.forget();
      update(change);
    },
    save: () =>
      attempt.run(async () => {
        await saveSnippet(client, props.snippet, unwrap(draft));
        await props.onSaved();
      }),
  };
}

type SnippetFormState = ReturnType<typeof createForm>;
