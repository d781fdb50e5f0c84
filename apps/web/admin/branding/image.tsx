import { createSignal, createUniqueId, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { type ImageName, imageUrl } from '../../branding/branding.ts';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { dataUrlOf, IMAGE_TYPES, imageProblem } from './draft.ts';

interface Props {
  readonly name: ImageName;
  /** The image's path, or a data URL once chosen; null for none. */
  readonly value: string | null;
  readonly error: string | undefined;
  /** Why the gateway accepts no changes. */
  readonly why: string | undefined;
  readonly onChange: (value: string | null) => void;
}

export function ImageField(props: Props) {
  const { t } = useApp();
  const [problem, setProblem] = createSignal('');
  const hint_id = createUniqueId();
  let picker: HTMLInputElement | undefined;
  const label = () => t(`branding_${props.name}`);

  async function read(file: File | undefined): Promise<void> {
    if (!file) return;
    const found = imageProblem(file);
    setProblem(found ? t(found) : '');
    if (found) return;
    try {
      props.onChange(await dataUrlOf(file));
    } catch {
      setProblem(t('file_unreadable', { name: file.name }));
    }
  }

  return (
    <div class="branding-image">
      <Thumbnail name={props.name} value={props.value} />
      <div class="field">
        <p class="field-label">{label()}</p>
        <p class="field-hint" id={hint_id}>
          {t(`branding_${props.name}_hint`)}
        </p>
        <input
          ref={picker}
          type="file"
          hidden
          accept={IMAGE_TYPES.join(',')}
          aria-label={t('branding_choose', { name: label() })}
          onChange={(event) => {
            void read(event.currentTarget.files?.[0]);
            event.currentTarget.value = ''; // so that choosing the same file again fires `change`
          }}
        />
        <div class="row-actions">
          <ReasonButton
            label={t('branding_choose', { name: label() })}
            described_by={hint_id}
            why={props.why}
            onPress={() => picker?.click()}
          >
            {t('choose_file')}
          </ReasonButton>
          <Show when={props.value}>
            <ReasonButton
              label={t('branding_remove', { name: label() })}
              why={props.why}
              onPress={() => props.onChange(null)}
            >
              {t('branding_remove_image')}
            </ReasonButton>
          </Show>
        </div>
        <p class="field-error" role="alert">
          {problem() || props.error}
        </p>
      </div>
    </div>
  );
}

function Thumbnail(props: { name: ImageName; value: string | null }) {
  const { client, t } = useApp();
  return (
    <div class="branding-thumbnail" classList={{ 'branding-thumbnail-wide': props.name === 'login_image' }}>
      <Show when={shownImage(client, props.value)} fallback={<span>{t('branding_no_image')}</span>}>
        {(address) => <img src={address()} alt={t(`branding_${props.name}`)} />}
      </Show>
    </div>
  );
}

/** The URL to show: a newly chosen image is not on the gateway yet. */
export function shownImage(client: Parameters<typeof imageUrl>[0], value: string | null): string | undefined {
  return value?.startsWith('data:') ? value : imageUrl(client, value);
}
