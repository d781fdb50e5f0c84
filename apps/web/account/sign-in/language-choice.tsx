import { For } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { LANGUAGES } from '../../i18n/languages.ts';

/** On the screens without a menu. */
export function LanguageChoice() {
  const { preferences, t } = useApp();
  return (
    <div class="languages">
      <fieldset>
        <legend class="visually-hidden">{t('language')}</legend>
        <For each={LANGUAGES}>
          {(language) => (
            <button
              type="button"
              class="link-button"
              lang={language.code}
              aria-pressed={preferences.values.language === language.code}
              onClick={() => preferences.set('language', language.code)}
            >
              {language.name}
            </button>
          )}
        </For>
      </fieldset>
    </div>
  );
}
