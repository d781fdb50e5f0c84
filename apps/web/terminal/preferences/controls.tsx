import type { ParentProps } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { ChoiceName, PreferenceValues, ToggleName } from '../../app/preferences.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import './preferences.css';

export function PreferenceSection(props: ParentProps<{ id: string; title: TextKey }>) {
  const { t } = useApp();
  return (
    <section class="section preferences-more" aria-labelledby={props.id}>
      <h3 class="section-title" id={props.id}>
        {t(props.title)}
      </h3>
      <div class="section-form">{props.children}</div>
    </section>
  );
}

interface ChoiceProps<N extends ChoiceName> {
  readonly name: N;
  readonly values: readonly (PreferenceValues[N] & string)[];
  readonly hint?: TextKey;
}

/** A choice whose text keys are the preference's name plus the value. */
export function Choice<N extends ChoiceName>(props: ChoiceProps<N>) {
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

export function Toggle(props: ToggleProps) {
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
