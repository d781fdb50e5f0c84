import { createSignal, For, Match, Show, Switch } from 'solid-js';
import { Field } from '../parts/field.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { SwitchField } from '../parts/switch-field.tsx';
import { useApp } from '../state/app-context.ts';
import type { AuthMethod, ServerDraft } from '../state/server-draft.ts';
import type { ServerEditor } from '../state/server-editor.ts';

const MAX_KEY_BYTES = 64 * 1024; // a key has a few thousand: anything more is another file

interface Props {
  readonly editor: ServerEditor;
}

type TextName = {
  [K in keyof ServerDraft]: string extends ServerDraft[K] ? K : never;
}[keyof ServerDraft];

/** What binds a text field to the draft. */
function bind(editor: ServerEditor, name: TextName) {
  return {
    get value() {
      return editor.draft[name];
    },
    get error() {
      return editor.errorAt(name);
    },
    onChange: (value: string) => editor.set(name, value),
  };
}

export function AddressFields(props: Props) {
  const { t } = useApp();
  const hops = () => [
    { value: 0, label: t('no_jump_host') },
    ...props.editor.others().map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <fieldset class="form-group">
      <legend>{t('server')}</legend>
      <div class="form-grid">
        <Field
          label={t('name')}
          {...bind(props.editor, 'name')}
          required
          class="span-3"
          input={{ autocomplete: 'off' }}
        />
        <GroupField editor={props.editor} />
        <Field
          label={t('hostname')}
          {...bind(props.editor, 'hostname')}
          required
          class="span-4"
          input={{ autocomplete: 'off', autocapitalize: 'none' }}
        />
        <Field
          label={t('port')}
          {...bind(props.editor, 'port')}
          required
          class="span-2"
          input={{ type: 'number', min: 1, max: 65_535, inputmode: 'numeric' }}
        />
        <Field
          label={t('tags')}
          {...bind(props.editor, 'tags')}
          description={t('tags_hint')}
          class="span-3"
          input={{ autocomplete: 'off' }}
        />
        <SelectField
          label={t('jump_host')}
          value={props.editor.draft.jump_via_id}
          options={hops()}
          error={props.editor.errorAt('jump_via_id')}
          onChange={(id) => props.editor.set('jump_via_id', id)}
          class="span-3"
        />
        <Field
          label={t('description')}
          {...bind(props.editor, 'description')}
          multiline
          area={{ rows: 2 }}
          class="span-6"
        />
      </div>
    </fieldset>
  );
}

function GroupField(props: Props) {
  const { t } = useApp();
  const names = () => props.editor.others().map(({ group }) => group);
  return (
    <>
      <Field
        label={t('group')}
        {...bind(props.editor, 'group')}
        description={t('group_hint')}
        class="span-3"
        input={{ list: 'group-names', autocomplete: 'off' }}
      />
      <datalist id="group-names">
        <For each={[...new Set(names())]}>{(name) => <option value={name} />}</For>
      </datalist>
    </>
  );
}

export function CredentialFields(props: Props) {
  const { t } = useApp();
  const methods = (): { value: AuthMethod; label: string }[] => [
    { value: 'password', label: t('auth_password') },
    { value: 'key', label: t('auth_key') },
  ];
  return (
    <fieldset class="form-group">
      <legend>{t('credentials')}</legend>
      <div class="form-grid">
        <Field
          label={t('ssh_username')}
          {...bind(props.editor, 'username')}
          required
          class="span-3"
          input={{ autocomplete: 'off', autocapitalize: 'none' }}
        />
        <SelectField
          label={t('auth_method')}
          value={props.editor.draft.auth_method}
          options={methods()}
          onChange={(method) => props.editor.set('auth_method', method)}
          class="span-3"
        />
        <Switch>
          <Match when={props.editor.draft.auth_method === 'password'}>
            <PasswordFields {...props} />
          </Match>
          <Match when={props.editor.draft.auth_method === 'key'}>
            <KeyFields {...props} />
          </Match>
        </Switch>
      </div>
    </fieldset>
  );
}

function PasswordFields(props: Props) {
  const { t } = useApp();
  const stored = () => props.editor.saved()?.has_password === true;
  return (
    <>
      <Field
        label={t('ssh_password')}
        {...bind(props.editor, 'password')}
        description={stored() ? t('stored_unchanged') : t('stored_encrypted')}
        disabled={props.editor.draft.forget_password}
        class="span-6"
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <Show when={stored()}>
        <SwitchField
          label={t('forget_password')}
          checked={props.editor.draft.forget_password}
          onChange={(checked) => props.editor.set('forget_password', checked)}
        />
      </Show>
    </>
  );
}

function KeyFields(props: Props) {
  const { t } = useApp();
  const stored = () => props.editor.saved()?.has_private_key === true;
  return (
    <>
      <Field
        label={t('private_key')}
        {...bind(props.editor, 'private_key')}
        description={stored() ? t('stored_unchanged') : t('private_key_hint')}
        disabled={props.editor.draft.forget_private_key}
        multiline
        class="span-6 field-mono"
        area={{ rows: 5, autocomplete: 'off' }}
      />
      <KeyFile editor={props.editor} />
      <Field
        label={t('passphrase')}
        {...bind(props.editor, 'passphrase')}
        description={t('passphrase_hint')}
        disabled={props.editor.draft.forget_private_key}
        class="span-6"
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <Show when={stored()}>
        <SwitchField
          label={t('forget_private_key')}
          checked={props.editor.draft.forget_private_key}
          onChange={(checked) => props.editor.set('forget_private_key', checked)}
        />
      </Show>
    </>
  );
}

/** Fills the field from a file; the file itself stays here. */
function KeyFile(props: Props) {
  const { t } = useApp();
  const [is_too_large, setTooLarge] = createSignal(false);
  let picker: HTMLInputElement | undefined;

  async function read(file: File | undefined): Promise<void> {
    if (!file) return;
    setTooLarge(file.size > MAX_KEY_BYTES);
    if (file.size <= MAX_KEY_BYTES) props.editor.set('private_key', await file.text());
  }

  return (
    <div class="span-6">
      <input
        ref={picker}
        type="file"
        hidden
        onChange={(event) => {
          void read(event.currentTarget.files?.[0]);
          event.currentTarget.value = ''; // the same file may be chosen again
        }}
      />
      <button
        type="button"
        class="button"
        disabled={props.editor.draft.forget_private_key}
        onClick={() => picker?.click()}
      >
        {t('choose_file')}
      </button>
      <p class="field-error" role="alert">
        {is_too_large() ? t('key_file_too_large') : ''}
      </p>
    </div>
  );
}

export function AccessFields(props: Props) {
  const { t } = useApp();
  return (
    <fieldset class="form-group">
      <legend>{t('access')}</legend>
      <div class="switches">
        <SwitchField
          label={t('ssh_enabled')}
          checked={props.editor.draft.ssh_enabled}
          onChange={(checked) => props.editor.set('ssh_enabled', checked)}
        />
        <SwitchField
          label={t('sftp_enabled')}
          checked={props.editor.draft.sftp_enabled}
          onChange={(checked) => props.editor.set('sftp_enabled', checked)}
        />
        <SwitchField
          label={t('sftp_read_only')}
          checked={props.editor.draft.sftp_read_only}
          disabled={!props.editor.draft.sftp_enabled}
          onChange={(checked) => props.editor.set('sftp_read_only', checked)}
        />
      </div>
      <Field
        label={t('allowed_paths')}
        {...bind(props.editor, 'sftp_allowed_paths')}
        description={t('allowed_paths_hint')}
        disabled={!props.editor.draft.sftp_enabled}
        multiline
        class="field-mono"
        area={{ rows: 2, autocapitalize: 'none' }}
      />
    </fieldset>
  );
}
