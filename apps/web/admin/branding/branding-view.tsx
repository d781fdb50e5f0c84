import { useQuery } from '@tanstack/solid-query';
import Info from 'lucide-solid/icons/info';
import { type Accessor, createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { IMAGES } from '../../branding/branding.ts';
import { SCHEMES } from '../../branding/colors.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { UnsavedQuestion } from '../../parts/dialogs/unsaved-question.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { SaveButtons } from '../../parts/fields/save-buttons.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { settingsQuery } from '../settings/settings.ts';
import type { BrandingDraft } from './draft.ts';
import { type BrandingEditor, createBrandingEditor } from './editor.ts';
import { ImageField } from './image.tsx';
import { PaletteFields } from './palette.tsx';
import { BrandingPreview } from './preview.tsx';
import './branding.css';

/** The lock of the settings holds for branding too. */
function useLockReason(): Accessor<string | undefined> {
  const { client, t } = useApp();
  const settings = useQuery(() => settingsQuery(client));
  return () => (settings.data?.locked ? t('branding_locked') : undefined);
}

/** Edits the gateway's name, colors and images, with a live preview. */
export function AdminBranding() {
  const { t } = useApp();
  const editor = createBrandingEditor();
  const why_locked = useLockReason();
  return (
    <section class="section section-wide" aria-labelledby="branding-title">
      <SectionTitle id="branding-title" text={t('branding')} />
      <p class="section-lead">{t('branding_lead')}</p>
      <ReadOnlyNote />
      <Show when={why_locked()}>
        {(text) => (
          <p class="note">
            <Info size={16} aria-hidden="true" /> <span>{text()}</span>
          </p>
        )}
      </Show>
      <QueryState query={editor.asked} failure={t('branding_failed')}>
        {(draft) => (
          <div class="branding-place">
            <div class="branding">
              <BrandingForm editor={editor} draft={draft()} />
              <section class="branding-previews" aria-labelledby="branding-preview-title">
                <h4 class="branding-heading" id="branding-preview-title">
                  {t('branding_preview')}
                </h4>
                <For each={SCHEMES}>{(scheme) => <BrandingPreview draft={draft()} scheme={scheme} />}</For>
              </section>
            </div>
          </div>
        )}
      </QueryState>
      <UnsavedQuestion dirty={editor.dirty()} />
    </section>
  );
}

function BrandingForm(props: { editor: BrandingEditor; draft: BrandingDraft }) {
  const { t } = useApp();
  const why_fixed = useReadOnlyReason();
  const why_locked = useLockReason();
  const why = () => why_fixed() ?? why_locked();
  return (
    <form
      class="branding-form"
      onSubmit={(event) => {
        event.preventDefault();
        void props.editor.save();
      }}
    >
      <Field
        label={t('branding_app_name')}
        description={t('branding_app_name_hint')}
        value={props.draft.app_name}
        onChange={(app_name) => props.editor.set({ app_name })}
        error={props.editor.errorAt('app_name')}
        disabled={why() !== undefined}
        input={{ autocomplete: 'off', maxlength: 40 }}
      />
      <Field
        label={t('branding_tagline')}
        description={t('branding_tagline_hint')}
        value={props.draft.tagline}
        onChange={(tagline) => props.editor.set({ tagline })}
        error={props.editor.errorAt('tagline')}
        disabled={why() !== undefined}
        input={{ autocomplete: 'off', maxlength: 120 }}
      />
      <For each={SCHEMES}>
        {(scheme) => <PaletteFields editor={props.editor} draft={props.draft} scheme={scheme} why={why()} />}
      </For>
      <fieldset class="form-group">
        <legend>{t('branding_images')}</legend>
        <For each={IMAGES}>
          {(name) => (
            <ImageField
              name={name}
              value={props.draft[name]}
              error={props.editor.errorAt(name)}
              why={why()}
              onChange={(value) => props.editor.set({ [name]: value })}
            />
          )}
        </For>
      </fieldset>
      <SaveBar editor={props.editor} why={why()} />
    </form>
  );
}

function SaveBar(props: { editor: BrandingEditor; why: string | undefined }) {
  const { t } = useApp();
  const [resetting, setResetting] = createSignal(false);
  return (
    <div class="branding-bar">
      <Show when={props.editor.error()}>
        <Trouble title={t('branding_not_saved')} error={props.editor.error()} compact />
      </Show>
      <div class="actions">
        <ReasonButton why={props.why} onPress={() => setResetting(true)}>
          {t('branding_reset')}
        </ReasonButton>
        <span class="actions-gap" role="status">
          {props.editor.saved() ? t('branding_saved') : ''}
        </span>
        <SaveButtons
          dirty={props.editor.dirty()}
          blocked={!props.editor.sendable()}
          busy={props.editor.busy()}
          why={props.why}
          label={t('save')}
          onDiscard={props.editor.discard}
        />
      </div>
      <Show when={resetting()}>
        <Confirm
          title={t('branding_reset_title')}
          text={t('branding_reset_text')}
          action={t('branding_reset_action')}
          failure={t('branding_not_reset')}
          danger
          onConfirm={props.editor.reset}
          onClose={() => setResetting(false)}
        />
      </Show>
    </div>
  );
}
