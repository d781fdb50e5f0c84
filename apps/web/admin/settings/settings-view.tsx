import Info from 'lucide-solid/icons/info';
import { Index, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { formatInstant } from '../../lib/format.ts';
import { UnsavedQuestion } from '../../parts/dialogs/unsaved-question.tsx';
import { SaveButtons } from '../../parts/fields/save-buttons.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { createSettingsEditor, type SettingsEditor } from './editor.ts';
import { RetentionQuestion } from './retention-question.tsx';
import { SettingRow } from './row.tsx';
import './settings.css';

/** The settings that can be changed at runtime, as listed by the gateway. */
export function AdminSettings() {
  const { t } = useApp();
  const editor = createSettingsEditor();
  const why_fixed = useReadOnlyReason();
  const why = () => why_fixed() ?? (editor.locked() ? t('settings_locked') : undefined);
  return (
    <section class="section settings" aria-labelledby="settings-title">
      <h3 class="section-title" id="settings-title">
        {t('settings')}
      </h3>
      <p class="section-lead">{t('settings_lead')}</p>
      <ReadOnlyNote />
      <Show when={editor.locked()}>
        <p class="note">
          <Info size={16} aria-hidden="true" /> <span>{t('settings_locked')}</span>
        </p>
      </Show>
      <QueryState query={editor.query} failure={t('settings_failed')}>
        {(known) => (
          <form
            class="settings-form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              void editor.save();
            }}
          >
            <ul class="rows" aria-labelledby="settings-title" tabIndex={why() ? 0 : undefined}>
              <Index each={known().settings}>
                {(setting) => <SettingRow setting={setting()} editor={editor} why={why()} />}
              </Index>
            </ul>
            <SaveBar editor={editor} why={why()} />
          </form>
        )}
      </QueryState>
      <Show when={editor.asking()}>
        {(limits) => (
          <RetentionQuestion limits={limits()} onConfirm={editor.confirm} onClose={editor.cancel} />
        )}
      </Show>
      <UnsavedQuestion dirty={editor.count() > 0} />
    </section>
  );
}

function SaveBar(props: { editor: SettingsEditor; why: string | undefined }) {
  const { preferences, t } = useApp();
  const said = () => {
    if (props.editor.count() > 0) return t('settings_unsaved', { count: props.editor.count() });
    const saved = props.editor.saved();
    if (!saved?.limits_act_at) return saved ? t('settings_saved') : '';
    const time = formatInstant(saved.limits_act_at, preferences.values.language);
    return t('settings_saved_limits', { time });
  };
  return (
    <div class="settings-bar">
      <Show when={props.editor.error()}>
        <Trouble title={t('settings_not_saved')} error={props.editor.error()} compact />
      </Show>
      <div class="actions">
        <span class="settings-said" role="status">
          {said()}
        </span>
        <SaveButtons
          dirty={props.editor.count() > 0}
          blocked={props.editor.blocked()}
          busy={props.editor.busy()}
          why={props.why}
          label={t('settings_save')}
          onDiscard={props.editor.discard}
        />
      </div>
    </div>
  );
}
