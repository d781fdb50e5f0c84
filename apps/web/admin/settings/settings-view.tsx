import { useSearchParams } from '@solidjs/router';
import Info from 'lucide-solid/icons/info';
import { createEffect, createMemo, For, Index, on, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAddressText } from '../../lib/address-text.ts';
import { formatInstant } from '../../lib/format.ts';
import { UnsavedQuestion } from '../../parts/dialogs/unsaved-question.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { SaveButtons } from '../../parts/fields/save-buttons.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { hasWords } from '../../parts/table/order.ts';
import { Trouble } from '../../parts/trouble.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { createSettingsEditor, type SettingsEditor } from './editor.ts';
import { groupSettings } from './groups.ts';
import { RetentionQuestion } from './retention-question.tsx';
import { SettingRow } from './row.tsx';
import type { Setting } from './settings.ts';
import './settings.css';

/** The settings that can be changed at runtime, as listed by the gateway. */
export function AdminSettings() {
  const { t } = useApp();
  const editor = createSettingsEditor();
  const why_fixed = useReadOnlyReason();
  const search = createAddressText('q');
  const textsOf = useSettingTexts();
  const found = (settings: readonly Setting[]) =>
    settings.filter((setting) => hasWords(textsOf(setting), search.text().trim()));
  createKeyFocus(() => editor.query.data !== undefined, search.clear);
  const why = () => why_fixed() ?? (editor.locked() ? t('settings_locked') : undefined);
  return (
    <section class="section settings" aria-labelledby="settings-title">
      <SectionTitle id="settings-title" text={t('settings')} />
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
            <SearchBox text={search.text()} onType={search.type} />
            <GroupedSettings settings={found(known().settings)} editor={editor} why={why()} />
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

/** `#/admin/settings?key=NAME` goes to that setting, whatever was searched before. */
function createKeyFocus(is_loaded: () => boolean, clearSearch: () => void): void {
  const { place } = useApp();
  const [query, setQuery] = useSearchParams();
  createEffect(
    on([() => query['key'], createMemo(is_loaded)], ([key, loaded]) => {
      if (typeof key !== 'string' || !loaded) return;
      clearSearch();
      setQuery({ key: undefined }, { replace: true }); // the same link works again
      setTimeout(() => {
        const row = place.root.getElementById(`setting-${key}`);
        row?.scrollIntoView({ block: 'center' });
        row?.querySelector<HTMLElement>('input, button')?.focus({ preventScroll: true });
      });
    }),
  );
}

/** What a search finds a setting by. */
function useSettingTexts(): (setting: Setting) => string[] {
  const { t } = useApp();
  return ({ key, help, variable }) => [
    t.optional(`setting_${key}`) ?? '',
    t.optional(`setting_${key}_text`) ?? help,
    key,
    variable,
  ];
}

function SearchBox(props: { text: string; onType: (text: string) => void }) {
  const { t } = useApp();
  return (
    <Field
      label={t('settings_search')}
      value={props.text}
      onChange={props.onType}
      class="settings-search"
      input={{ type: 'search', autocomplete: 'off', maxlength: 100 }}
    />
  );
}

interface GroupsProps {
  readonly settings: readonly Setting[];
  readonly editor: SettingsEditor;
  readonly why: string | undefined;
}

function GroupedSettings(props: GroupsProps) {
  const { t } = useApp();
  const groups = createMemo(() => groupSettings(props.settings));
  return (
    <Index each={groups()} fallback={<p class="empty">{t('settings_none_match')}</p>}>
      {(group) => (
        <section aria-labelledby={`settings-${group().title}`}>
          <h4 class="settings-group" id={`settings-${group().title}`}>
            {t(group().title)}
          </h4>
          <ul class="rows" aria-labelledby={`settings-${group().title}`} tabIndex={props.why ? 0 : undefined}>
            <For each={group().settings.map(({ key }) => key)}>
              {(key) => (
                <Show when={props.settings.find((setting) => setting.key === key)}>
                  {(setting) => <SettingRow setting={setting()} editor={props.editor} why={props.why} />}
                </Show>
              )}
            </For>
          </ul>
        </section>
      )}
    </Index>
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
