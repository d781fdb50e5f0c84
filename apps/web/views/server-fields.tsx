import { For, Match, Show, Switch } from 'solid-js';
import { Field } from '../parts/field.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { SwitchField } from '../parts/switch-field.tsx';
import { useApp } from '../state/app-context.ts';
import type { AuthMethod, ServerDraft } from '../state/server-draft.ts';
import type { Server } from '../state/servers.ts';

export interface DraftProps {
  readonly draft: ServerDraft;
  /** As it is stored; absent for a new one. */
  readonly server: Server | undefined;
  readonly others: readonly Server[];
  set<K extends keyof ServerDraft>(name: K, value: ServerDraft[K]): void;
  errorAt(path: keyof ServerDraft): string | undefined;
}

type TextName = {
  [K in keyof ServerDraft]: string extends ServerDraft[K] ? K : never;
}[keyof ServerDraft];

/** What binds a text field to the draft. */
function bind(props: DraftProps, name: TextName) {
  return {
    get value() {
      return props.draft[name];
    },
    get error() {
      return props.errorAt(name);
    },
    onChange: (value: string) => props.set(name, value),
  };
}

export function AddressFields(props: DraftProps) {
  const { t } = useApp();
  const hops = () => [
    { value: 0, label: t('no_jump_host') },
    ...props.others.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const groups = () => [...new Set(props.others.map(({ group }) => group).filter((group) => group !== ''))];
  return (
    <fieldset class="form-group">
      <legend>{t('server')}</legend>
      <div class="form-grid">
        <Field label={t('name')} {...bind(props, 'name')} required class="span-3" input={{ autocomplete: 'off' }} />
        <Field
          label={t('group')}
          {...bind(props, 'group')}
          class="span-3"
          input={{ list: 'group-names', autocomplete: 'off' }}
        />
        <datalist id="group-names">
          <For each={groups()}>{(group) => <option value={group} />}</For>
        </datalist>
        <Field
          label={t('hostname')}
          {...bind(props, 'hostname')}
          required
          class="span-4"
          input={{ autocomplete: 'off', autocapitalize: 'none' }}
        />
        <Field
          label={t('port')}
          {...bind(props, 'port')}
          required
          class="span-2"
          input={{ type: 'number', min: 1, max: 65_535, inputmode: 'numeric' }}
        />
        <Field
          label={t('tags')}
          {...bind(props, 'tags')}
          description={t('tags_hint')}
          class="span-3"
          input={{ autocomplete: 'off' }}
        />
        <SelectField
          label={t('jump_host')}
          value={props.draft.jump_via_id}
          options={hops()}
          error={props.errorAt('jump_via_id')}
          onChange={(id) => props.set('jump_via_id', id)}
          class="span-3"
        />
        <Field label={t('description')} {...bind(props, 'description')} multiline area={{ rows: 2 }} class="span-6" />
      </div>
    </fieldset>
  );
}

export function CredentialFields(props: DraftProps) {
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
          {...bind(props, 'username')}
          required
          class="span-3"
          input={{ autocomplete: 'off', autocapitalize: 'none' }}
        />
        <SelectField
          label={t('auth_method')}
          value={props.draft.auth_method}
          options={methods()}
          onChange={(method) => props.set('auth_method', method)}
          class="span-3"
        />
        <Switch>
          <Match when={props.draft.auth_method === 'password'}>
            <PasswordFields {...props} />
          </Match>
          <Match when={props.draft.auth_method === 'key'}>
            <KeyFields {...props} />
          </Match>
        </Switch>
      </div>
    </fieldset>
  );
}

function PasswordFields(props: DraftProps) {
  const { t } = useApp();
  const stored = () => props.server?.has_password === true;
  return (
    <>
      <Field
        label={t('ssh_password')}
        {...bind(props, 'password')}
        description={stored() ? t('stored_unchanged') : t('stored_encrypted')}
        disabled={props.draft.forget_password}
        class="span-6"
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <Show when={stored()}>
        <SwitchField
          label={t('forget_password')}
          checked={props.draft.forget_password}
          onChange={(checked) => props.set('forget_password', checked)}
        />
      </Show>
    </>
  );
}

function KeyFields(props: DraftProps) {
  const { t } = useApp();
  const stored = () => props.server?.has_private_key === true;
  return (
    <>
      <Field
        label={t('private_key')}
        {...bind(props, 'private_key')}
        description={stored() ? t('stored_unchanged') : t('private_key_hint')}
        disabled={props.draft.forget_private_key}
        multiline
        class="span-6 field-mono"
        area={{ rows: 5, autocomplete: 'off' }}
      />
      <Field
        label={t('passphrase')}
        {...bind(props, 'passphrase')}
        description={t('passphrase_hint')}
        disabled={props.draft.forget_private_key}
        class="span-6"
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <Show when={stored()}>
        <SwitchField
          label={t('forget_private_key')}
          checked={props.draft.forget_private_key}
          onChange={(checked) => props.set('forget_private_key', checked)}
        />
      </Show>
    </>
  );
}

export function AccessFields(props: DraftProps) {
  const { t } = useApp();
  return (
    <fieldset class="form-group">
      <legend>{t('access')}</legend>
      <div class="switches">
        <SwitchField
          label={t('ssh_enabled')}
          checked={props.draft.ssh_enabled}
          onChange={(checked) => props.set('ssh_enabled', checked)}
        />
        <SwitchField
          label={t('sftp_enabled')}
          checked={props.draft.sftp_enabled}
          onChange={(checked) => props.set('sftp_enabled', checked)}
        />
        <SwitchField
          label={t('sftp_read_only')}
          checked={props.draft.sftp_read_only}
          disabled={!props.draft.sftp_enabled}
          onChange={(checked) => props.set('sftp_read_only', checked)}
        />
      </div>
      <Field
        label={t('allowed_paths')}
        {...bind(props, 'sftp_allowed_paths')}
        description={t('allowed_paths_hint')}
        disabled={!props.draft.sftp_enabled}
        multiline
        class="field-mono"
        area={{ rows: 2, autocapitalize: 'none' }}
      />
    </fieldset>
  );
}
