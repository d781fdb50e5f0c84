import Info from 'lucide-solid/icons/info';
import { Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Field } from '../../parts/fields/field.tsx';
import { FilePicker } from '../../parts/fields/file-picker.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import type { AuthMethod } from './draft.ts';
import { bindText, type ServerEditor } from './editor.ts';

const MAX_KEY_BYTES = 64 * 1024; // private keys have a few thousand bytes: a larger file is something else

interface Props {
  readonly editor: ServerEditor;
}

export function CredentialFields(props: Props) {
  const { t } = useApp();
  const methods = (): { value: AuthMethod; label: string }[] => [
    { value: 'password', label: t('auth_password') },
    { value: 'key', label: t('auth_key') },
    { value: 'prompt', label: t('auth_prompt') },
  ];
  return (
    <fieldset class="form-group">
      <legend>{t('credentials')}</legend>
      <div class="form-grid">
        <SelectField
          label={t('auth_method')}
          value={props.editor.draft.auth_method}
          options={methods()}
          onChange={(method) => props.editor.set('auth_method', method)}
          class="span-6"
        />
        <Switch>
          <Match when={props.editor.draft.auth_method === 'password'}>
            <PasswordFields {...props} />
          </Match>
          <Match when={props.editor.draft.auth_method === 'key'}>
            <KeyFields {...props} />
          </Match>
          <Match when={props.editor.draft.auth_method === 'prompt'}>
            <PromptFields {...props} />
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
        {...bindText(props.editor, 'password')}
        description={stored() ? t('stored_unchanged') : t('stored_encrypted')}
        disabled={props.editor.draft.forget_password}
        class="span-6"
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <ForgetPassword {...props} />
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
        {...bindText(props.editor, 'private_key')}
        description={stored() ? t('stored_unchanged') : t('private_key_hint')}
        disabled={props.editor.draft.forget_private_key}
        multiline
        class="span-6 field-mono"
        area={{ rows: 5, autocomplete: 'off' }}
      />
      <div class="span-6">
        <FilePicker
          max_bytes={MAX_KEY_BYTES}
          too_large={t('key_file_too_large')}
          disabled={props.editor.draft.forget_private_key}
          onText={(text) => props.editor.set('private_key', text)}
        />
      </div>
      <Field
        label={t('passphrase')}
        {...bindText(props.editor, 'passphrase')}
        description={t('passphrase_hint')}
        disabled={props.editor.draft.forget_private_key}
        class="span-6"
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <ForgetPrivateKey {...props} />
      <PasswordAfterKey {...props} />
    </>
  );
}

/** For hosts that accept the key only together with a password. */
function PasswordAfterKey(props: Props) {
  const { t } = useApp();
  const stored = () => props.editor.saved()?.has_password === true;
  return (
    <>
      <Field
        label={t('password_after_key')}
        {...bindText(props.editor, 'password')}
        description={stored() ? t('stored_unchanged') : t('password_after_key_hint')}
        disabled={props.editor.draft.forget_password}
        class="span-6"
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <ForgetPassword {...props} />
    </>
  );
}

/** No credentials to enter, but stored ones of another method can be removed. */
function PromptFields(props: Props) {
  const { t } = useApp();
  return (
    <>
      <p class="note span-6">
        <Info size={16} aria-hidden="true" /> <span>{t('auth_prompt_text')}</span>
      </p>
      <ForgetPassword {...props} />
      <ForgetPrivateKey {...props} />
    </>
  );
}

function ForgetPassword(props: Props) {
  const { t } = useApp();
  return (
    <Show when={props.editor.saved()?.has_password}>
      <SwitchField
        label={t('forget_password')}
        checked={props.editor.draft.forget_password}
        onChange={(checked) => props.editor.set('forget_password', checked)}
      />
    </Show>
  );
}

function ForgetPrivateKey(props: Props) {
  const { t } = useApp();
  return (
    <Show when={props.editor.saved()?.has_private_key}>
      <SwitchField
        label={t('forget_private_key')}
        checked={props.editor.draft.forget_private_key}
        onChange={(checked) => props.editor.set('forget_private_key', checked)}
      />
    </Show>
  );
}
