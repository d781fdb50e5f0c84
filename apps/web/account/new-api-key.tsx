import { createSignal, For, onMount, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { take } from '#client/client.ts';
import { useApp } from '../app/context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { dayOf, EXPIRIES, type Expiry, expiresAt } from '../lib/expiry.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { CheckField } from '../parts/fields/check.tsx';
import { Field } from '../parts/fields/field.tsx';
import { SelectField } from '../parts/fields/select.tsx';
import { Secret } from '../parts/secret.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { type CreatedApiKey, SCOPES, type Scope } from './account.ts';

interface Props {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function NewKey(props: Props) {
  const { t } = useApp();
  const [created, setCreated] = createSignal<CreatedApiKey>();
  const onCreated = (key: CreatedApiKey) => {
    setCreated(key);
    props.onCreated();
  };
  return (
    <Dialog title={t(created() ? 'key_created' : 'create_key')} sticky onClose={props.onClose}>
      <Show when={created()} fallback={<NewKeyForm onCreated={onCreated} onCancel={props.onClose} />}>
        {(key) => <ShownKey created={key()} onClose={props.onClose} />}
      </Show>
    </Dialog>
  );
}

function ShownKey(props: { created: CreatedApiKey; onClose: () => void }) {
  const { t } = useApp();
  let place: HTMLDivElement | undefined;
  onMount(() => place?.querySelector('input')?.focus());
  return (
    <>
      <p class="dialog-lead" role="status">
        {t('key_created_text')}
      </p>
      <div ref={place}>
        <Secret
          label={t('key_of', { name: props.created.name })}
          value={props.created.key}
          copy_label={t('copy_key')}
        />
      </div>
      <div class="actions">
        <button type="button" class="button button-primary" onClick={() => props.onClose()}>
          {t('done')}
        </button>
      </div>
    </>
  );
}

function createKeyDraft() {
  const { client } = useApp();
  const attempt = createAttempt();
  const [tried, setTried] = createSignal(false);
  const [draft, set] = createStore({
    name: '',
    expiry: '90_days' as Expiry,
    date: '',
    scopes: ['read'] as readonly Scope[],
  });
  const expires_at = () => expiresAt(draft.expiry, draft.date, new Date());

  async function create(): Promise<CreatedApiKey | undefined> {
    setTried(true);
    const end = expires_at();
    if (end === undefined || draft.scopes.length === 0) return undefined;
    const body = { name: draft.name.trim(), expires_at: end, scopes: [...draft.scopes] };
    let created: CreatedApiKey | undefined;
    await attempt.run(async () => {
      created = await take(client.http.POST('/api/auth/api-keys', { body }));
    });
    return created;
  }

  return {
    draft,
    set,
    create,
    busy: attempt.busy,
    error: attempt.error,
    lacks_date: () => tried() && expires_at() === undefined,
    lacks_scope: () => tried() && draft.scopes.length === 0,
    choose(scope: Scope, wanted: boolean) {
      const others = draft.scopes.filter((chosen) => chosen !== scope);
      set({ scopes: wanted ? [...others, scope] : others });
    },
  };
}

type KeyDraft = ReturnType<typeof createKeyDraft>;

function NewKeyForm(props: { onCreated: (key: CreatedApiKey) => void; onCancel: () => void }) {
  const { t } = useApp();
  const key = createKeyDraft();
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const created = await key.create();
    if (created) props.onCreated(created);
  }
  return (
    <form class="stacked-form" onSubmit={(event) => void submit(event)}>
      <Field
        label={t('key_name')}
        description={t('key_name_hint')}
        value={key.draft.name}
        onChange={(name) => key.set({ name })}
        required
        input={{ autocomplete: 'off', maxlength: 100 }}
      />
      <ExpiryFields key_draft={key} />
      <ScopeFields key_draft={key} />
      <Show when={key.error()}>
        <Trouble title={t('key_not_created')} error={key.error()} compact />
      </Show>
      <div class="actions">
        <button type="button" class="button" onClick={() => props.onCancel()}>
          {t('cancel')}
        </button>
        <button type="submit" class="button button-primary" aria-disabled={key.busy()}>
          {t('create_key')}
        </button>
      </div>
    </form>
  );
}

function ExpiryFields(props: { key_draft: KeyDraft }) {
  const { t } = useApp();
  const options = () => EXPIRIES.map((value) => ({ value, label: t(`expiry_${value}`) }));
  return (
    <>
      <SelectField
        label={t('expiry')}
        value={props.key_draft.draft.expiry}
        options={options()}
        onChange={(expiry) => props.key_draft.set({ expiry })}
      />
      <Show when={props.key_draft.draft.expiry === 'date'}>
        <Field
          label={t('expiry_last_day')}
          value={props.key_draft.draft.date}
          onChange={(date) => props.key_draft.set({ date })}
          error={props.key_draft.lacks_date() ? t('expiry_date_needed') : undefined}
          input={{ type: 'date', min: dayOf(new Date()) }}
        />
      </Show>
    </>
  );
}

function ScopeFields(props: { key_draft: KeyDraft }) {
  const { session, t } = useApp();
  const offered = () => SCOPES.filter((scope) => scope !== 'admin' || session.user()?.is_admin === true);
  return (
    <fieldset class="form-group">
      <legend>{t('scopes')}</legend>
      <For each={offered()}>
        {(scope) => (
          <CheckField
            label={t(`scope_${scope}`)}
            description={t(`scope_${scope}_text`)}
            checked={props.key_draft.draft.scopes.includes(scope)}
            onChange={(wanted) => props.key_draft.choose(scope, wanted)}
          />
        )}
      </For>
      <p class="field-error" role="alert">
        {props.key_draft.lacks_scope() ? t('scope_needed') : ''}
      </p>
    </fieldset>
  );
}
