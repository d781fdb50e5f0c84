import { Match, Switch } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Field } from '../parts/fields/field.tsx';
import { FilePicker } from '../parts/fields/file-picker.tsx';
import { SelectField } from '../parts/fields/select.tsx';
import { QUICK_METHODS, type QuickDraft } from './draft.ts';

const MAX_KEY_BYTES = 32 * 1024; // the gateway's limit

/** Optional credentials; without them the terminal prompts. */
export function QuickSecretFields(props: { draft: QuickDraft }) {
  const { t } = useApp();
  const methods = () => QUICK_METHODS.map((value) => ({ value, label: t(`quick_by_${value}`) }));
  return (
    <>
      <SelectField
        label={t('auth_method')}
        value={props.draft.values.method}
        options={methods()}
        onChange={(method) => props.draft.set({ method })}
      />
      <Switch>
        <Match when={props.draft.values.method === 'password'}>
          <Field
            label={t('ssh_password')}
            value={props.draft.values.password}
            onChange={(password) => props.draft.set({ password })}
            description={t('quick_not_stored')}
            input={{ type: 'password', autocomplete: 'new-password' }}
          />
        </Match>
        <Match when={props.draft.values.method === 'key'}>
          <KeyFields draft={props.draft} />
        </Match>
      </Switch>
    </>
  );
}

function KeyFields(props: { draft: QuickDraft }) {
  const { t } = useApp();
  return (
    <>
      <Field
        label={t('private_key')}
        value={props.draft.values.private_key}
        onChange={(private_key) => props.draft.set({ private_key })}
        description={t('quick_key_hint')}
        multiline
        class="field-mono"
        area={{ rows: 4, autocomplete: 'off' }}
      />
      <FilePicker
        max_bytes={MAX_KEY_BYTES}
        too_large={t('key_file_too_large')}
        onText={(private_key) => props.draft.set({ private_key })}
      />
      <Field
        label={t('passphrase')}
        value={props.draft.values.passphrase}
        onChange={(passphrase) => props.draft.set({ passphrase })}
        description={t('passphrase_hint')}
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <Field
        label={t('password_after_key')}
        value={props.draft.values.password}
        onChange={(password) => props.draft.set({ password })}
        description={t('password_after_key_hint')}
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
    </>
  );
}
