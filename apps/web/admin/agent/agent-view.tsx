import CircleCheck from 'lucide-solid/icons/circle-check';
import CircleX from 'lucide-solid/icons/circle-x';
import { createEffect, createUniqueId, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { UnsavedQuestion } from '../../parts/dialogs/unsaved-question.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { KnownNames } from '../../parts/fields/known-names.tsx';
import { SaveButtons } from '../../parts/fields/save-buttons.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { type AgentDraft, EXAMPLES, NUMBER_NAMES, PROVIDERS } from './draft.ts';
import { type AgentEditor, createAgentEditor } from './editor.ts';
import '../settings/settings.css';
import './agent.css';

interface Props {
  readonly editor: AgentEditor;
  readonly draft: AgentDraft;
  /** Why the gateway accepts no changes. */
  readonly why: string | undefined;
}

/** Picks the model that answers questions about servers, and its limits. */
export function AdminAgent() {
  const { t } = useApp();
  const editor = createAgentEditor();
  const why = useReadOnlyReason();
  return (
    <section class="section" aria-labelledby="agent-title">
      <SectionTitle id="agent-title" text={t('agent')} />
      <p class="section-lead">{t('agent_lead')}</p>
      <ReadOnlyNote />
      <QueryState query={editor.query} failure={t('agent_settings_failed')}>
        {(stored) => (
          <Show when={editor.draft()}>
            {(draft) => (
              <form
                class="agent-form"
                noValidate
                onSubmit={(event) => {
                  event.preventDefault();
                  void editor.save();
                }}
              >
                <Show when={stored().is_unreadable}>
                  <p class="note note-warning">{t('agent_unreadable')}</p>
                </Show>
                <ProviderFields editor={editor} draft={draft()} why={why()} has_key={stored().has_key} />
                <LimitFields editor={editor} draft={draft()} why={why()} />
                <SaveBar editor={editor} draft={draft()} why={why()} />
              </form>
            )}
          </Show>
        )}
      </QueryState>
      <UnsavedQuestion dirty={editor.dirty()} />
    </section>
  );
}

function ProviderFields(props: Props & { has_key: boolean }) {
  const { t } = useApp();
  const { editor } = props;
  const options = () => [
    { value: 'off' as const, label: t('agent_provider_off') },
    ...PROVIDERS.map((value) => ({ value, label: t(`agent_provider_${value}`) })),
  ];
  const provider = () => (props.draft.provider === 'off' ? undefined : props.draft.provider);
  return (
    <fieldset class="form-group">
      <legend>{t('agent_provider')}</legend>
      <SelectField<AgentDraft['provider']>
        label={t('agent_provider')}
        description={t(provider() ? 'agent_provider_hint' : 'agent_provider_off_hint')}
        value={props.draft.provider}
        options={options()}
        onChange={editor.choose}
        error={editor.errorAt('provider')}
        disabled={props.why !== undefined}
      />
      <Show when={provider()}>
        {(chosen) => (
          <>
            <Field
              label={t('agent_base_url')}
              description={t(chosen() === 'openai_compatible' ? 'agent_base_url_hint' : 'agent_base_url_own')}
              value={props.draft.base_url}
              onChange={(base_url) => editor.set({ base_url })}
              error={editor.errorAt('base_url')}
              required={chosen() === 'openai_compatible'}
              disabled={props.why !== undefined}
              input={{
                placeholder: EXAMPLES[chosen()],
                inputmode: 'url',
                autocomplete: 'off',
                autocapitalize: 'none',
                maxlength: 2048,
              }}
            />
            <SwitchField
              label={t('agent_private')}
              description={t('agent_private_text')}
              checked={props.draft.allow_private_address}
              disabled={props.why !== undefined}
              onChange={(allow_private_address) => editor.set({ allow_private_address })}
            />
            <KeyField {...props} />
            <ModelField {...props} />
            <Trial {...props} />
          </>
        )}
      </Show>
    </fieldset>
  );
}

function KeyField(props: Props & { has_key: boolean }) {
  const { t } = useApp();
  const { editor } = props;
  const hint = () => {
    if (editor.loses_key()) return t('agent_key_other');
    return t(props.has_key ? 'agent_key_stored' : 'agent_key_hint');
  };
  return (
    <>
      <Field
        label={t('agent_key')}
        description={hint()}
        value={props.draft.api_key}
        onChange={(api_key) => editor.set({ api_key })}
        error={editor.errorAt('api_key')}
        disabled={props.why !== undefined || props.draft.forget_key}
        class="field-mono"
        input={{ type: 'password', autocomplete: 'new-password', autocapitalize: 'none', maxlength: 1000 }}
      />
      <Show when={props.has_key && !editor.loses_key()}>
        <SwitchField
          label={t('agent_key_forget')}
          checked={props.draft.forget_key}
          disabled={props.why !== undefined}
          onChange={(forget_key) => editor.set({ forget_key, api_key: '' })}
        />
      </Show>
    </>
  );
}

function ModelField(props: Props) {
  const { t } = useApp();
  const list_id = createUniqueId();
  return (
    <>
      <Field
        label={t('agent_model')}
        description={t('agent_model_hint')}
        value={props.draft.model}
        onChange={(model) => props.editor.set({ model })}
        error={props.editor.errorAt('model')}
        required
        disabled={props.why !== undefined}
        class="field-mono"
        input={{ list: list_id, autocomplete: 'off', autocapitalize: 'none', maxlength: 200 }}
      />
      <KnownNames id={list_id} names={props.editor.models()} />
    </>
  );
}

/** Tries what is typed, saved or not. */
function Trial(props: Props) {
  const { t } = useApp();
  const { editor } = props;
  let place: HTMLDivElement | undefined;
  createEffect(() => (editor.result() ?? editor.test_error()) && place?.scrollIntoView({ block: 'nearest' }));
  return (
    <div class="agent-trial" ref={place}>
      <ReasonButton why={props.why} busy={editor.testing()} onPress={() => void editor.test()}>
        {t('agent_test')}
      </ReasonButton>
      <div role="status" class="agent-trial-result">
        <Show when={editor.testing()}>
          <p>{t('agent_testing')}</p>
        </Show>
        <Show when={editor.result()}>
          {(result) => (
            <>
              <p class="outcome">
                <Show
                  when={result().ok}
                  fallback={<CircleX size={16} class="agent-bad" aria-hidden="true" />}
                >
                  <CircleCheck size={16} class="agent-good" aria-hidden="true" />
                </Show>
                <span>
                  {t(result().ok ? 'agent_test_good' : 'agent_test_bad')} {t.complaint(result().detail)}
                </span>
              </p>
              <Show when={result().models.length > 0}>
                <p class="field-hint">{t('agent_models', { count: result().models.length })}</p>
                <ul class="agent-models">
                  <For each={result().models.slice(0, MOST_SHOWN)}>
                    {(name) => (
                      <li>
                        <button
                          type="button"
                          class="agent-model"
                          aria-pressed={props.draft.model === name}
                          onClick={() => editor.pick(name)}
                        >
                          {name}
                        </button>
                      </li>
                    )}
                  </For>
                </ul>
              </Show>
            </>
          )}
        </Show>
      </div>
      <Show when={editor.test_error()}>
        <Trouble title={t('agent_test_failed')} error={editor.test_error()} compact />
      </Show>
    </div>
  );
}

const MOST_SHOWN = 30; // some providers have hundreds; the field's suggestions have all

function LimitFields(props: Props) {
  const { t } = useApp();
  return (
    <fieldset class="form-group">
      <legend>{t('agent_limits')}</legend>
      <div class="agent-numbers">
        <For each={NUMBER_NAMES}>
          {(name) => (
            <Field
              label={t(`agent_${name}`)}
              description={t(`agent_${name}_hint`)}
              value={props.draft[name]}
              onChange={(typed) => props.editor.set({ [name]: typed })}
              error={props.editor.numberError(name)}
              disabled={props.why !== undefined}
              input={{ inputmode: 'numeric', autocomplete: 'off', maxlength: 12 }}
            />
          )}
        </For>
      </div>
    </fieldset>
  );
}

function SaveBar(props: Props) {
  const { t } = useApp();
  const said = () => {
    if (props.editor.dirty()) return t('agent_unsaved');
    if (!props.editor.saved()) return '';
    return t(props.draft.provider === 'off' ? 'agent_saved_off' : 'agent_saved');
  };
  return (
    <div class="settings-bar">
      <Show when={props.editor.save_error()}>
        <Trouble title={t('agent_not_saved')} error={props.editor.save_error()} compact />
      </Show>
      <div class="actions">
        <span class="settings-said" role="status">
          {said()}
        </span>
        <SaveButtons
          dirty={props.editor.dirty()}
          blocked={props.editor.blocked()}
          busy={props.editor.busy()}
          why={props.why}
          label={t('settings_save')}
          onDiscard={props.editor.discard}
        />
      </div>
    </div>
  );
}
