import RotateCcw from 'lucide-solid/icons/rotate-ccw';
import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import {
  type ContrastWarning,
  contrastWarnings,
  isColor,
  OWN_COLORS,
  PALETTE,
  type PaletteName,
  paletteOf,
  type Scheme,
} from '../../branding/colors.ts';
import { paint } from '../../branding/kept.ts';
import { Field } from '../../parts/fields/field.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { type BrandingDraft, isMistyped, type PaletteField } from './draft.ts';
import type { BrandingEditor } from './editor.ts';

interface Props {
  readonly editor: BrandingEditor;
  readonly draft: BrandingDraft;
  readonly scheme: Scheme;
  /** Why the gateway accepts no changes. */
  readonly why: string | undefined;
}

const FIELDS = { light: 'colors', dark: 'colors_dark' } as const satisfies Record<Scheme, PaletteField>;

export function PaletteFields(props: Props) {
  const { preferences, t } = useApp();
  const warnings = () => contrastWarnings(paletteOf(props.draft[FIELDS[props.scheme]]), props.scheme);
  return (
    <fieldset class="form-group">
      <legend>{t(`branding_colors_${props.scheme}`)}</legend>
      <div class="branding-colors">
        <For each={PALETTE}>{(name) => <ColorField {...props} name={name} />}</For>
      </div>
      <div role="status">
        <Show when={warnings().length > 0}>
          <div
            class="note note-warning branding-warning"
            data-palette
            ref={(element) => paint(element, { colors: {}, colors_dark: {} })} // stays readable with any chosen colors
          >
            <TriangleAlert size={16} aria-hidden="true" />
            <ul>
              <For each={warnings()}>{(warning) => <li>{warningText(warning)}</li>}</For>
              <li>{t('branding_contrast_needed')}</li>
            </ul>
          </div>
        </Show>
      </div>
    </fieldset>
  );

  function warningText({ front, ground, ratio }: ContrastWarning): string {
    return t('branding_contrast', {
      front: t(`branding_${front}`),
      ground: t(`branding_${ground}`),
      ratio: formatRatio(ratio, preferences.values.language),
    });
  }
}

/** Rounds down, so that a ratio below the limit never looks sufficient. */
function formatRatio(ratio: number, language: string): string {
  const two = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return (Math.floor(ratio * 100) / 100).toLocaleString(language, two);
}

function ColorField(props: Props & { name: PaletteName }) {
  const { t } = useApp();
  const field = () => FIELDS[props.scheme];
  const text = () => props.draft[field()][props.name];
  const own = () => OWN_COLORS[props.scheme][props.name];
  const label = () => t(`branding_${props.name}`);
  const about = () => ({ name: label(), scheme: t(`branding_colors_${props.scheme}`) });
  const set = (typed: string) => props.editor.setColor(field(), props.name, typed);
  const error = () =>
    isMistyped(text()) ? t('branding_color_form') : props.editor.errorAt(`${field()}.${props.name}`);
  return (
    <div class="branding-color">
      <input
        type="color"
        class="branding-swatch"
        aria-label={t('branding_pick', about())}
        value={isColor(text()) ? text() : own()}
        disabled={props.why !== undefined}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <Field
        label={label()}
        value={text()}
        onChange={(typed) => set(typed.trim())}
        description={text() === '' ? t('branding_own_color', { color: own() }) : undefined}
        error={error()}
        disabled={props.why !== undefined}
        class="field-mono"
        input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 7 }}
      />
      <ReasonButton
        class="icon-button"
        label={t('branding_use_own', about())}
        title={t('branding_use_own', about())}
        why={props.why}
        disabled={text() === ''}
        onPress={() => set('')}
      >
        <RotateCcw size={15} aria-hidden="true" />
      </ReasonButton>
    </div>
  );
}
