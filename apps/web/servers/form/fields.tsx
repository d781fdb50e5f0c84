import { createMemo } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { SuggestField } from '../../parts/fields/combo.tsx';
import { DidYouMean } from '../../parts/fields/did-you-mean.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { TagField } from '../../parts/fields/tags.tsx';
import { ServerChoice } from '../server-choice.tsx';
import { tagsOf } from '../servers.ts';
import { bindText, type ServerEditor } from './editor.ts';

interface Props {
  readonly editor: ServerEditor;
}

/** What a connection needs first: address and user. The name is the host name unless another is given. */
export function AddressFields(props: Props) {
  const { t } = useApp();
  return (
    <fieldset class="form-group">
      <legend>{t('server')}</legend>
      <div class="form-grid">
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
          input={{ autocomplete: 'off', inputmode: 'numeric' }}
        />
        <Field
          label={t('ssh_username')}
          {...bindText(props.editor, 'username')}
          required
          class="span-3"
          input={{ autocomplete: 'off', autocapitalize: 'none' }}
        />
        <Field
          label={t('name')}
          {...bindText(props.editor, 'name')}
          class="span-3"
          input={{ autocomplete: 'off', placeholder: props.editor.draft.hostname.trim() }}
        />
      </div>
    </fieldset>
  );
}

/** Who reaches the server. */
export function GroupField(props: Props) {
  const { t } = useApp();
  const groups = createMemo(() => [...new Set(props.editor.others().map(({ group }) => group))].sort());
  return (
    <div>
      <SuggestField
        label={t('group')}
        {...bindText(props.editor, 'group')}
        description={t('group_hint')}
        known={groups()}
      />
      <DidYouMean
        typed={[props.editor.draft.group]}
        known={groups()}
        onChoose={(_typed, meant) => props.editor.set('group', meant)}
      />
    </div>
  );
}

/** The way to the server, and what people find it by. */
export function PlaceFields(props: Props) {
  const { t } = useApp();
  return (
    <fieldset class="form-group">
      <legend>{t('server_place')}</legend>
      <div class="form-grid">
        <ServerChoice
          label={t('jump_host')}
          value={props.editor.draft.jump_via_id}
          servers={props.editor.others()}
          none={t('no_jump_host')}
          error={props.editor.errorAt('jump_via_id')}
          onChange={(id) => props.editor.set('jump_via_id', id)}
          class="span-3"
        />
        <TagField
          label={t('tags')}
          values={props.editor.draft.tags}
          known={tagsOf(props.editor.others())}
          error={props.editor.errorAt('tags')}
          onChange={(tags) => props.editor.set('tags', tags)}
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
