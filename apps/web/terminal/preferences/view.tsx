import { useApp } from '../../app/context.ts';
import {
  BACKSPACES,
  BELLS,
  type ChoiceName,
  CLIPBOARD_RULES,
  CURSOR_STYLES,
  FONT_SIZES,
  LINE_HEIGHTS,
  PALETTES,
  PROGRAM_NOTIFICATIONS,
  type PreferenceValues,
  RIGHT_CLICKS,
  SCROLLBACK_ROWS,
  type ToggleName,
} from '../../app/preferences.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { formatNumber } from '../../lib/format.ts';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { TypefaceFields, TypefaceSample } from './typeface.tsx';
import './preferences.css';

/** How terminals look and behave in this browser. */
export function TerminalPreferences() {
  const { preferences, t } = useApp();
  return (
    <section class="section preferences-more" aria-labelledby="preferences-terminal">
      <h3 class="section-title" id="preferences-terminal">
        {t('preferences_terminal')}
      </h3>
      <div class="section-form">
        <Choice name="palette" values={PALETTES} />
        <TypefaceFields />
        <SelectField
          label={t('font_size')}
          value={preferences.values.font_size}
          options={FONT_SIZES.map((value) => ({ value, label: String(value) }))}
          onChange={(value) => preferences.set('font_size', value)}
        />
        <SelectField
          label={t('line_height')}
          value={preferences.values.line_height}
          options={LINE_HEIGHTS.map((value) => ({
            value,
            label: formatNumber(value, preferences.values.language, 2),
          }))}
          onChange={(value) => preferences.set('line_height', value)}
        />
        <Toggle name="ligatures" hint="ligatures_hint" />
        <TypefaceSample />
        <Choice name="cursor_style" values={CURSOR_STYLES} />
        <Toggle name="cursor_blink" />
        <SelectField
          label={t('scrollback_rows')}
          value={preferences.values.scrollback_rows}
          options={SCROLLBACK_ROWS.map((value) => ({
            value,
            label: formatNumber(value, preferences.values.language),
          }))}
          onChange={(value) => preferences.set('scrollback_rows', value)}
        />
        <Choice name="bell" values={BELLS} />
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
        <Choice
          name="program_notifications"
          values={PROGRAM_NOTIFICATIONS}
          hint="program_notifications_hint"
        />
        <Toggle name="notify_transfers" hint="notify_transfers_hint" />
        <Toggle name="screen_reader" hint="screen_reader_hint" />
      </div>
    </section>
  );
}

interface ChoiceProps<N extends ChoiceName> {
  readonly name: N;
  readonly values: readonly (PreferenceValues[N] & string)[];
  readonly hint?: TextKey;
}

/** A choice whose text keys are the preference's name plus the value. */
function Choice<N extends ChoiceName>(props: ChoiceProps<N>) {
  const { preferences, t } = useApp();
  return (
    <SelectField<PreferenceValues[N] & string>
      label={t(props.name)}
      {...(props.hint ? { description: t(props.hint) } : {})}
      value={preferences.values[props.name]}
      options={props.values.map((value) => ({ value, label: t.optional(`${props.name}_${value}`) ?? value }))}
      onChange={(value) => preferences.set(props.name, value)}
    />
  );
}

interface ToggleProps {
  readonly name: ToggleName;
  readonly hint?: TextKey;
}

function Toggle(props: ToggleProps) {
  const { preferences, t } = useApp();
  return (
    <SwitchField
      label={t(props.name)}
      {...(props.hint ? { description: t(props.hint) } : {})}
      checked={preferences.values[props.name]}
      onChange={(checked) => preferences.set(props.name, checked)}
    />
  );
}
