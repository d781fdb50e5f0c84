import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { type AlgorithmSet, RECORDINGS } from './draft.ts';
import type { ServerEditor } from './editor.ts';

export function OptionFields(props: { editor: ServerEditor }) {
  const { t } = useApp();
  const algorithms = (): { value: AlgorithmSet; label: string }[] => [
    { value: 'default', label: t('algorithms_default') },
    { value: 'legacy', label: t('algorithms_legacy') },
  ];
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
