import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { FormDialog } from '../parts/dialogs/form.tsx';
import { Field } from '../parts/fields/field.tsx';
import { createForm } from '../parts/fields/form.ts';
import { SwitchField } from '../parts/fields/switch.tsx';
import { draftOf, placeholdersOf, type Snippet, saveSnippet } from './snippets.ts';

const COMMAND_LENGTH = 4096;

interface Props {
  /** Undefined for a new snippet. */
  readonly snippet: Snippet | undefined;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function SnippetForm(props: Props) {
  const { session, t } = useApp();
  const form = createSnippetForm(props);
  return (
    <FormDialog
      title={props.snippet ? t('edit_of', { name: props.snippet.name }) : t('snippet_create')}
      form={form}
      failure={t('snippet_not_saved')}
      onClose={props.onClose}
    >
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
    </FormDialog>
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

function createSnippetForm(props: Props) {
  const { client } = useApp();
  return createForm({
    initial: draftOf(props.snippet),
    fields: () => ['name', 'command', 'description'],
    async send(draft) {
      await saveSnippet(client, props.snippet, draft);
      await props.onSaved();
    },
  });
}

type SnippetFormState = ReturnType<typeof createSnippetForm>;
