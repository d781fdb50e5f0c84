import RotateCcw from 'lucide-solid/icons/rotate-ccw';
import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { createSignal, Match, Show, Switch } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { dangerOf } from './danger.ts';
import type { SettingsEditor } from './editor.ts';
import { type Setting, type SettingValue, unitOf } from './settings.ts';
import { formatAmount } from './units.ts';
import { WaitingLimit } from './waiting-limit.tsx';

interface Props {
  readonly setting: Setting;
  readonly editor: SettingsEditor;
  /** Why the gateway accepts no changes. */
  readonly why: string | undefined;
}

/** One setting: a field by its kind, and the source of its value. */
export function SettingRow(props: Props) {
  const { t } = useApp();
  const source = () => props.setting.source;
  const changed = () => {
    const by = source();
    return by === 'default' ? undefined : by;
  };
  return (
    <li class="row setting" id={`setting-${props.setting.key}`}>
      <div class="setting-field">
        <Switch>
          <Match when={props.setting.kind === 'integer'}>
            <TextField {...props} longest={32} />
          </Match>
          <Match when={props.setting.kind === 'boolean'}>
            <FlagField {...props} />
          </Match>
          <Match when={props.setting.kind === 'choice'}>
            <ChoiceField {...props} />
          </Match>
          <Match when={props.setting.kind === 'origins'}>
            <TextField {...props} longest={2000} />
          </Match>
        </Switch>
        <Danger {...props} />
        <WaitingLimit setting={props.setting} />
      </div>
      <div class="setting-source">
        <Show when={changed()}>
          {(by) => (
            <span
              class="badge"
              classList={{ 'badge-good': by() === 'admin' }}
              title={t(`setting_source_${by()}_text`, { variable: props.setting.variable })}
            >
              {t(`setting_source_${by()}`)}
            </span>
          )}
        </Show>
        <Show when={source() === 'environment' || props.why !== undefined}>
          <code class="setting-variable">{props.setting.variable}</code>
        </Show>
        <Show when={source() === 'admin'}>
          <ResetButton {...props} />
        </Show>
      </div>
    </li>
  );
}

function useNames(props: Props) {
  const { t } = useApp();
  const { key } = props.setting;
  return {
    label: () => t.optional(`setting_${key}`) ?? key,
    /** The help text in the page's language, or else the gateway's own. */
    help: () => t.optional(`setting_${key}_text`) ?? props.setting.help,
    value: (value: SettingValue) => {
      if (typeof value === 'boolean') return t(value ? 'setting_on' : 'setting_off');
      if (typeof value === 'string') return t.optional(`setting_${key}_${value}`) ?? value;
      return formatAmount(value, unitOf(props.setting));
    },
  };
}

/** A number with its unit, or a list of sites. */
function TextField(props: Props & { longest: number }) {
  const names = useNames(props);
  return (
    <Field
      label={names.label()}
      description={`${names.help()}.`}
      value={String(props.editor.shown(props.setting))}
      onChange={(typed) => props.editor.set(props.setting, typed)}
      error={props.editor.errorAt(props.setting)}
      disabled={props.why !== undefined}
      input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: props.longest }}
    />
  );
}

/** What the shown value opens, before it is saved. */
function Danger(props: Props) {
  const { t } = useApp();
  const warning = () => dangerOf(props.setting, props.editor.shown(props.setting));
  return (
    <Show when={warning()}>
      {(text) => (
        <p class="note note-warning" role="status">
          <TriangleAlert size={16} aria-hidden="true" /> <span>{t(text())}</span>
        </p>
      )}
    </Show>
  );
}

function FlagField(props: Props) {
  const { t } = useApp();
  const names = useNames(props);
  /** What a change that is not saved yet does not reach, where that is not obvious. */
  const effect = () => {
    const shown = props.editor.shown(props.setting);
    const text = t.optional(`setting_${props.setting.key}_turned_${shown === true ? 'on' : 'off'}`);
    return text === undefined || shown === props.setting.value ? [] : [text];
  };
  return (
    <>
      <SwitchField
        label={names.label()}
        description={[`${names.help()}.`, ...effect()].join(' ')}
        checked={props.editor.shown(props.setting) === true}
        disabled={props.why !== undefined}
        onChange={(checked) => props.editor.set(props.setting, checked)}
      />
      <p class="field-error" role="alert">
        {props.editor.errorAt(props.setting)}
      </p>
    </>
  );
}

function ChoiceField(props: Props) {
  const names = useNames(props);
  const options = () => (props.setting.choices ?? []).map((value) => ({ value, label: names.value(value) }));
  return (
    <SelectField<string>
      label={names.label()}
      description={`${names.help()}.`}
      value={String(props.editor.shown(props.setting))}
      options={options()}
      onChange={(value) => props.editor.set(props.setting, value)}
      error={props.editor.errorAt(props.setting)}
      disabled={props.why !== undefined}
    />
  );
}

/** Resets to the default without Save. Asks first, because the gateway does not keep the old value. */
function ResetButton(props: Props) {
  const { t } = useApp();
  const names = useNames(props);
  const [asking, setAsking] = createSignal(false);
  const value = () => names.value(props.setting.default);
  return (
    <>
      <ReasonButton
        label={t('setting_reset_of', { name: names.label(), value: value() })}
        why={props.why}
        onPress={() => setAsking(true)}
      >
        <RotateCcw size={14} aria-hidden="true" /> {t('setting_reset', { value: value() })}
      </ReasonButton>
      <Show when={asking()}>
        <Confirm
          title={t('setting_reset_title', { name: names.label() })}
          text={t('setting_reset_text', { old: names.value(props.setting.value), value: value() })}
          action={t('setting_reset', { value: value() })}
          failure={t('setting_not_reset')}
          danger
          onConfirm={() => props.editor.reset(props.setting)}
          onClose={() => setAsking(false)}
        />
      </Show>
    </>
  );
}
