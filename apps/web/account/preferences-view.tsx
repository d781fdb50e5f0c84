import { useApp } from '../app/context.ts';
import { THEMES } from '../app/page-look.ts';
import { LANGUAGES } from '../i18n/languages.ts';
import { SelectField } from '../parts/fields/select.tsx';
import { TerminalPreferences } from '../terminal/preferences/view.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';

/** Preferences are stored in this browser only. */
export function AccountPreferences() {
  const { preferences, t } = useApp();
  const themes = () => THEMES.map((value) => ({ value, label: t(`theme_${value}`) }));
  const languages = LANGUAGES.map(({ code, name }) => ({ value: code, label: name }));
  return (
    <>
      <section class="section" aria-labelledby="preferences-title">
        <SectionTitle id="preferences-title" text={t('preferences')} />
        <p class="section-lead">{t('preferences_lead')}</p>
        <div class="section-form">
          <SelectField
            label={t('theme')}
            value={preferences.values.theme}
            options={themes()}
            onChange={(theme) => preferences.set('theme', theme)}
          />
          <SelectField
            label={t('language')}
            value={preferences.values.language}
            options={languages}
            onChange={(language) => preferences.set('language', language)}
          />
        </div>
      </section>
      <TerminalPreferences />
    </>
  );
}
