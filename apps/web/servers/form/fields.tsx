import { For } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { Field } from '../../parts/fields/field.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { bindText, type ServerEditor } from './editor.ts';

interface Props {
  readonly editor: ServerEditor;
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
          {...bindText(props.editor, 'name')}
          required
          class="span-3"
          input={{ autocomplete: 'off' }}
        />
        <GroupField editor={props.editor} />
        <Field
          label={t('hostname')}
          {...bindText(props.editor, 'hostname')}
          required
          class="span-4"
          input={{ autocomplete: 'off', autocapitalize: 'none' }}
        />
        <Field
          label={t('port')}
          {...bindText(props.editor, 'port')}
          required
          class="span-2"
          input={{ type: 'number', min: 1, max: 65_535, inputmode: 'numeric' }}
        />
        <Field
          label={t('tags')}
          {...bindText(props.editor, 'tags')}
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
          {...bindText(props.editor, 'description')}
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
        {...bindText(props.editor, 'group')}
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
        {...bindText(props.editor, 'sftp_allowed_paths')}
        description={t('allowed_paths_hint')}
        disabled={!props.editor.draft.sftp_enabled}
        multiline
        class="field-mono"
        area={{ rows: 2, autocapitalize: 'none' }}
      />
    </fieldset>
  );
}
