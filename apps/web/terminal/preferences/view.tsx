import { useApp } from '../../app/context.ts';
import {
  BACKSPACES,
  CLIPBOARD_RULES,
  CURSOR_STYLES,
  FONT_SIZES,
  LINE_HEIGHTS,
  PALETTES,
  RIGHT_CLICKS,
  SCROLLBACK_ROWS,
} from '../../app/preferences.ts';
import { formatNumber } from '../../lib/format.ts';
import { SelectField } from '../../parts/fields/select.tsx';
import { AlertPreferences } from './alerts.tsx';
import { Choice, PreferenceSection, Toggle } from './controls.tsx';
import { TypefaceFields, TypefaceSample } from './typeface.tsx';

/** How terminals look and behave in this browser. */
export function TerminalPreferences() {
  return (
    <>
      <LookPreferences />
      <KeyPreferences />
      <AlertPreferences />
    </>
  );
}

function LookPreferences() {
  const { preferences, t } = useApp();
  const { values, set } = preferences;
  const numbers = <T extends number>(all: readonly T[], digits: number) =>
    all.map((value) => ({ value, label: formatNumber(value, values.language, digits) }));
  return (
    <PreferenceSection id="preferences-terminal" title="preferences_terminal">
      <Choice name="palette" values={PALETTES} />
      <TypefaceFields />
      <SelectField
        label={t('font_size')}
        value={values.font_size}
        options={numbers(FONT_SIZES, 0)}
        onChange={(value) => set('font_size', value)}
      />
      <SelectField
        label={t('line_height')}
        value={values.line_height}
        options={numbers(LINE_HEIGHTS, 2)}
        onChange={(value) => set('line_height', value)}
      />
      <Toggle name="ligatures" hint="ligatures_hint" />
      <TypefaceSample />
      <Choice name="cursor_style" values={CURSOR_STYLES} />
      <Toggle name="cursor_blink" />
      <SelectField
        label={t('scrollback_rows')}
        value={values.scrollback_rows}
        options={numbers(SCROLLBACK_ROWS, 0)}
        onChange={(value) => set('scrollback_rows', value)}
      />
      <Toggle name="screen_reader" hint="screen_reader_hint" />
    </PreferenceSection>
  );
}

function KeyPreferences() {
  const { preferences, t } = useApp();
  return (
    <PreferenceSection id="preferences-keys" title="preferences_keys">
      <Choice name="right_click" values={RIGHT_CLICKS} />
      <Choice name="backspace" values={BACKSPACES} />
      <Toggle name="copy_on_select" />
      <Toggle name="confirm_paste" />
      <SelectField
        label={t('clipboard_rule')}
        description={t('clipboard_rule_hint')}
        value={preferences.values.clipboard}
        options={CLIPBOARD_RULES.map((value) => ({ value, label: t(`clipboard_rule_${value}`) }))}
        onChange={(value) => preferences.set('clipboard', value)}
      />
    </PreferenceSection>
  );
}
