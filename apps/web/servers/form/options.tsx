import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { encodingOptions } from '../../lib/encodings.ts';
import { ChoiceField } from '../../parts/fields/combo.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { type AlgorithmSet, RECORDINGS } from './draft.ts';
import { bindText, type ServerEditor } from './editor.ts';

export function OptionFields(props: { editor: ServerEditor }) {
  const { t } = useApp();
  const algorithms = (): { value: AlgorithmSet; label: string }[] => [
    { value: 'default', label: t('algorithms_default') },
    { value: 'legacy', label: t('algorithms_legacy') },
  ];
  const encodings = () =>
    encodingOptions(props.editor.draft.terminal_encoding, (script) => t(`script_${script}`));
  const recordings = () => RECORDINGS.map((value) => ({ value, label: t(`recording_${value}`) }));
  return (
    <fieldset class="form-group">
      <legend>{t('options')}</legend>
      <div class="form-grid">
        <SelectField
          label={t('algorithms')}
          value={props.editor.draft.algorithms}
          options={algorithms()}
          onChange={(chosen) => props.editor.set('algorithms', chosen)}
          class="span-6"
        />
        <Show when={props.editor.draft.algorithms === 'legacy'}>
          <p class="note note-warning span-6" role="note">
            <TriangleAlert size={16} aria-hidden="true" /> <span>{t('algorithms_legacy_text')}</span>
          </p>
        </Show>
        <ChoiceField
          label={t('terminal_encoding')}
          description={t('terminal_encoding_hint')}
          value={props.editor.draft.terminal_encoding}
          options={encodings()}
          onChange={(chosen) => props.editor.set('terminal_encoding', chosen)}
          class="span-3"
        />
        <Field
          label={t('terminal_type')}
          description={t('terminal_type_hint')}
          {...bindText(props.editor, 'terminal_type')}
          required
          input={{ maxlength: 64, autocapitalize: 'none', autocomplete: 'off' }}
          class="span-3"
        />
        <SelectField
          label={t('recording')}
          description={t('recording_hint')}
          value={props.editor.draft.record_sessions}
          options={recordings()}
          onChange={(chosen) => props.editor.set('record_sessions', chosen)}
          class="span-6"
        />
        <SwitchField
          label={t('agent')}
          description={t('agent_enabled_text')}
          checked={props.editor.draft.agent_enabled}
          onChange={(enabled) => props.editor.set('agent_enabled', enabled)}
        />
      </div>
    </fieldset>
  );
}
