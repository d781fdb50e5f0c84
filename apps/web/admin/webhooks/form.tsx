import { useQuery } from '@tanstack/solid-query';
import { createSignal, For, Show } from 'solid-js';
import { createStore, unwrap } from 'solid-js/store';
import { useApp } from '../../app-context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EditDialog } from '../../parts/dialogs/edit.tsx';
import { CheckField } from '../../parts/fields/check.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { createFormErrors } from '../../parts/fields/form-errors.ts';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import {
  draftOf,
  eventKindsQuery,
  randomSecret,
  saveWebhook,
  type Webhook,
  type WebhookDraft,
} from './webhooks.ts';
import '../../parts/secret.css';

interface Props {
  /** Undefined for a new webhook. */
  readonly webhook: Webhook | undefined;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function WebhookForm(props: Props) {
  const { t } = useApp();
  const form = createForm(props);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (await form.save()) props.onClose();
  }

  return (
    <EditDialog
      title={props.webhook ? t('edit_of', { name: props.webhook.name }) : t('webhook_create')}
      wide
      dirty={form.dirty()}
      onClose={props.onClose}
    >
      {(close) => (
        <form class="dialog-form" onSubmit={(event) => void submit(event)}>
          <Field
            label={t('name')}
            value={form.draft.name}
            onChange={(name) => form.set({ name })}
            error={form.errorAt('name')}
            required
            input={{ autocomplete: 'off', maxlength: 100 }}
          />
          <Field
            label={t('webhook_url')}
            description={t('webhook_url_hint')}
            value={form.draft.url}
            onChange={(url) => form.set({ url })}
            error={form.errorAt('url')}
            required
            input={{ inputmode: 'url', autocomplete: 'off', autocapitalize: 'none', maxlength: 2048 }}
          />
          <EventFields form={form} />
          <SecretFields form={form} has_secret={props.webhook?.has_secret === true} />
          <SwitchField
            label={t('webhook_enabled')}
            description={t('webhook_enabled_text')}
            checked={form.draft.enabled}
            onChange={(enabled) => form.set({ enabled })}
          />
          <Show when={form.error()}>
            <Trouble title={t('webhook_not_saved')} error={form.error()} compact />
          </Show>
          <FormActions action={t('save')} busy={form.busy()} onCancel={close} />
        </form>
      )}
    </EditDialog>
  );
}

function EventFields(props: { form: WebhookFormState }) {
  const { client, t } = useApp();
  const kinds = useQuery(() => eventKindsQuery(client));
  const events = () => props.form.draft.events;
  /** Keeps events that this version no longer knows until they are removed. */
  const offered = () => [...new Set([...(kinds.data ?? []), ...events()])];
  const choose = (event: string, wanted: boolean) =>
    props.form.set({
      events: offered().filter((kind) => (kind === event ? wanted : events().includes(kind))),
    });
  return (
    <fieldset class="form-group">
      <legend>{t('webhook_events')}</legend>
      <CheckField
        label={t('webhook_all_events')}
        description={t('webhook_all_events_text')}
        checked={props.form.draft.all_events}
        onChange={(all_events) => props.form.set({ all_events })}
      />
      <Show when={!props.form.draft.all_events}>
        <div class="webhook-kinds">
          <For each={offered()}>
            {(kind) => (
              <CheckField
                label={t.optional(`event_${kind}`) ?? kind}
                checked={events().includes(kind)}
                onChange={(wanted) => choose(kind, wanted)}
              />
            )}
          </For>
        </div>
      </Show>
      <p class="field-error" role="alert">
        {props.form.errorAt('events')}
      </p>
    </fieldset>
  );
}

function SecretFields(props: { form: WebhookFormState; has_secret: boolean }) {
  const { t } = useApp();
  const secret = () => props.form.draft.secret;
  return (
    <div class="field">
      <Field
        label={t('webhook_secret')}
        description={t(props.has_secret ? 'webhook_secret_stored' : 'webhook_secret_hint')}
        value={secret()}
        onChange={(typed) => props.form.set({ secret: typed })}
        error={props.form.errorAt('secret')}
        disabled={props.form.draft.forget_secret}
        class="field-mono"
        input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 256 }}
      />
      <div class="copy">
        <button
          type="button"
          class="button"
          disabled={props.form.draft.forget_secret}
          onClick={() => props.form.set({ secret: randomSecret() })}
        >
          {t('webhook_secret_generate')}
        </button>
        <CopyButton text={secret()} label={t('webhook_secret_copy')} />
      </div>
      <Show when={props.has_secret}>
        <SwitchField
          label={t('webhook_secret_forget')}
          checked={props.form.draft.forget_secret}
          onChange={(forget_secret) => props.form.set({ forget_secret, secret: '' })}
        />
      </Show>
    </div>
  );
}

const FIELDS = ['name', 'url', 'events', 'secret'] as const;
type FieldName = (typeof FIELDS)[number];

function createForm(props: Props) {
  const { client, t } = useApp();
  const attempt = createAttempt();
  const [draft, update] = createStore<WebhookDraft>(draftOf(props.webhook));
  const [dirty, setDirty] = createSignal(false);
  const [tried, setTried] = createSignal(false);
  const refused = createFormErrors<FieldName>(attempt.error, {
    fields: () => FIELDS,
    fieldOf: (code) => (code === 'webhook_url_refused' ? 'url' : undefined),
  });
  const lacks_event = () => !draft.all_events && draft.events.length === 0;
  function errorAt(path: FieldName): string | undefined {
    if (path === 'events' && tried() && lacks_event()) return t('webhook_event_needed');
    return refused.errorAt(path);
  }
  return {
    draft,
    dirty,
    busy: attempt.busy,
    errorAt,
    error: refused.error,
    set(change: Partial<WebhookDraft>) {
      setDirty(true);
      attempt.forget();
      update(change);
    },
    async save(): Promise<boolean> {
      setTried(true);
      if (lacks_event()) return false;
      return attempt.run(async () => {
        await saveWebhook(client, props.webhook, unwrap(draft));
        await props.onSaved();
      });
    },
  };
}

type WebhookFormState = ReturnType<typeof createForm>;
