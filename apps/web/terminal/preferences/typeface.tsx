import { createSignal, createUniqueId, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Field } from '../../parts/fields/field.tsx';
import { KnownNames } from '../../parts/fields/known-names.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { fontFamily } from '../pane/font.ts';
import { canListFonts, faultOf, listMonospaced } from './computer-fonts.ts';

const BUNDLED = 'JetBrains Mono';
const SAMPLE = 'web-12:~$ ls | wc -l  0O 1lI -> => !=';

/** The typeface of terminals: the bundled one, or a font of this computer. */
export function TypefaceFields() {
  const { preferences, t } = useApp();
  const { values, set } = preferences;
  const [is_own, setOwn] = createSignal(values.font_family !== '');
  function choose(kind: 'bundled' | 'own'): void {
    setOwn(kind === 'own');
    if (kind === 'bundled') set('font_family', '');
  }
  return (
    <>
      <SelectField
        label={t('typeface')}
        value={is_own() ? 'own' : 'bundled'}
        options={[
          { value: 'bundled', label: BUNDLED },
          { value: 'own', label: t('typeface_own') },
        ]}
        onChange={choose}
      />
      <Show when={is_own()}>
        <OwnFont />
      </Show>
    </>
  );
}

function OwnFont() {
  const { preferences, t } = useApp();
  const [typed, setTyped] = createSignal(preferences.values.font_family);
  const [error, setError] = createSignal<string>();
  const [known, setKnown] = createSignal<readonly string[]>([]);
  const list_id = createUniqueId();

  function use(event: SubmitEvent): void {
    event.preventDefault();
    const name = typed().trim();
    const fault = name === '' ? undefined : faultOf(name);
    setError(fault && t(`typeface_${fault}`, { name }));
    if (!fault) preferences.set('font_family', name);
  }
  async function list(): Promise<void> {
    const names = await listMonospaced().catch(() => []);
    setKnown(names);
    setError(names.length === 0 ? t('typeface_list_refused') : undefined);
  }

  return (
    <form class="typeface-form" onSubmit={use}>
      <Field
        label={t('typeface_name')}
        description={t(known().length > 0 ? 'typeface_listed' : 'typeface_name_hint')}
        value={typed()}
        error={error()}
        input={{ list: list_id, maxlength: 100, autocomplete: 'off' }}
        onChange={(text) => {
          setTyped(text);
          setError(undefined);
        }}
      />
      <KnownNames id={list_id} names={known()} />
      <div class="typeface-actions">
        <button type="submit" class="button">
          {t('typeface_use')}
        </button>
        <Show when={canListFonts()}>
          <button type="button" class="button button-quiet" onClick={() => void list()}>
            {t('typeface_list')}
          </button>
        </Show>
      </div>
    </form>
  );
}

/** A line as terminals draw it. */
export function TypefaceSample() {
  const { preferences, t } = useApp();
  const { values } = preferences;
  return (
    <p
      class="typeface-sample"
      role="img"
      aria-label={t('typeface_sample')}
      style={{
        'font-family': fontFamily(values.font_family),
        'font-size': `${values.font_size}px`,
        'line-height': `${values.line_height * 1.32}`,
        'font-variant-ligatures': values.ligatures ? 'normal' : 'none',
      }}
    >
      {SAMPLE}
    </p>
  );
}
