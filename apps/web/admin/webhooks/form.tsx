import { useQuery } from '@tanstack/solid-query';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FormDialog } from '../../parts/dialogs/form.tsx';
import { CheckField } from '../../parts/fields/check.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { createForm } from '../../parts/fields/form.ts';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { draftOf, eventKindsQuery, randomSecret, saveWebhook, type Webhook } from './webhooks.ts';
import '../../parts/secret.css';

interface Props {
  /** Undefined for a new webhook. */
  readonly webhook: Webhook | undefined;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function WebhookForm(props: Props) {
  const { t } = useApp();
  const form = createWebhookForm(props);
  return (
    <FormDialog
      title={props.webhook ? t('edit_of', { name: props.webhook.name }) : t('webhook_create')}
      form={form}
      failure={t('webhook_not_saved')}
      onClose={props.onClose}
    >
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
    </FormDialog>
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

function createWebhookForm(props: Props) {
  const { client, t } = useApp();
  const [tried, setTried] = createSignal(false);
  const form = createForm({
    initial: draftOf(props.webhook),
    fields: () => FIELDS,
    fieldOf: (code) => (code === 'webhook_url_refused' ? 'url' : undefined),
    async send(draft) {
      await saveWebhook(client, props.webhook, draft);
      await props.onSaved();
    },
  });
  const lacks_event = () => !form.draft.all_events && form.draft.events.length === 0;
  return {
    ...form,
    errorAt(path: FieldName): string | undefined {
      if (path === 'events' && tried() && lacks_event()) return t('webhook_event_needed');
      return form.errorAt(path);
    },
    async save(): Promise<boolean> {
      setTried(true);
      return !lacks_event() && form.save();
    },
  };
}

type WebhookFormState = ReturnType<typeof createWebhookForm>;
