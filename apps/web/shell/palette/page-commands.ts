import { useApp } from '../../app/context.ts';
import { THEMES } from '../../app/page-look.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import type { FeatureCommands } from '../../workspace/features.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

/** Commands that are about no feature. */
export function createPageCommands(): FeatureCommands {
  const { t, preferences } = useApp();
  const { show, tabs } = useWorkspace();
  const hint = t('action');
  return {
    page: () => [
      { title: t('next_tab'), hint: 'Alt+PgDn', run: () => tabs.step(1) },
      { title: t('previous_tab'), hint: 'Alt+PgUp', run: () => tabs.step(-1) },
      {
        title: t('toggle_rail'),
        hint,
        also: t('also_toggle_rail'),
        run: () => preferences.set('rail_open', !preferences.values.rail_open),
      },
      ...THEMES.map((theme) => ({
        title: `${t('theme')}: ${t(`theme_${theme}`)}`,
        hint,
        also: t('also_theme'),
        run: () => preferences.set('theme', theme),
      })),
      ...LANGUAGES.map(({ code, name }) => ({
        title: `${t('language')}: ${name}`,
        hint,
        run: () => preferences.set('language', code),
      })),
      { title: t('font_larger'), hint: 'Ctrl++', also: t('also_font'), run: () => preferences.zoom(1) },
      { title: t('font_smaller'), hint: 'Ctrl+-', also: t('also_font'), run: () => preferences.zoom(-1) },
      { title: t('keyboard'), hint, also: t('also_keyboard'), run: () => show({ kind: 'keyboard' }) },
    ],
  };
}
