import { useQuery, useQueryClient } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { formatInstant } from '../lib/format.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import { type ApiKey, apiKeysQuery, isExpired } from './account.ts';
import { NewKey } from './new-api-key.tsx';

export function AccountKeys() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const keys = useQuery(() => apiKeysQuery(client));
  const [creating, setCreating] = createSignal(false);
  const [revoking, setRevoking] = createSignal<ApiKey>();
  const why = useReadOnlyReason();
  const refresh = () => queries.invalidateQueries({ queryKey: apiKeysQuery(client).queryKey });

  async function revoke({ id }: ApiKey): Promise<void> {
    await client.http.DELETE('/api/auth/api-keys/{key_id}', { params: { path: { key_id: id } } });
    await refresh();
  }

  return (
    <section class="section" aria-labelledby="keys-title">
      <div class="section-head">
        <h3 class="section-title" id="keys-title">
          {t('api_keys')}
        </h3>
        <ReasonButton class="button button-primary" why={why()} onPress={() => setCreating(true)}>
          <Plus size={16} aria-hidden="true" /> {t('create_key')}
        </ReasonButton>
      </div>
      <ReadOnlyNote />
      <p class="section-lead">{t('api_keys_lead')}</p>
      <QueryState query={keys} failure={t('api_keys_failed')}>
        {(known) => (
          <Show when={known().length > 0} fallback={<p class="empty">{t('no_api_keys')}</p>}>
            <ul class="rows" aria-label={t('api_keys')}>
              <For each={known()}>{(key) => <KeyRow api_key={key} onRevoke={() => setRevoking(key)} />}</For>
            </ul>
          </Show>
        )}
      </QueryState>
      <Show when={creating()}>
        <NewKey onCreated={() => void refresh()} onClose={() => setCreating(false)} />
      </Show>
      <Show when={revoking()}>
        {(key) => (
          <Confirm
            title={t('revoke_of', { name: key().name })}
            text={t('revoke_text')}
            action={t('revoke')}
            failure={t('revoke_failed')}
            danger
            onConfirm={() => revoke(key())}
            onClose={() => setRevoking(undefined)}
          />
        )}
      </Show>
    </section>
  );
}

function KeyRow(props: { api_key: ApiKey; onRevoke: () => void }) {
  const { preferences, t } = useApp();
  const why = useReadOnlyReason();
  const moment = (instant: string) => formatInstant(instant, preferences.values.language);
  const facts = () => {
    const { created_at, expires_at, last_used_at } = props.api_key;
    return [
      t('created_on', { time: moment(created_at) }),
      expires_at ? t('expires_on', { time: moment(expires_at) }) : t('expires_never'),
      last_used_at ? t('last_used_on', { time: moment(last_used_at) }) : t('never_used'),
    ].join(' · ');
  };
  return (
    <li class="row">
      <div class="row-text">
        <p class="row-name">
          {props.api_key.name}
          <code>{props.api_key.key_prefix}…</code>
          <For each={props.api_key.scopes}>{(scope) => <span class="badge">{t(`scope_${scope}`)}</span>}</For>
          <Show when={isExpired(props.api_key, new Date())}>
            <span class="badge badge-bad">{t('expired')}</span>
          </Show>
        </p>
        <p class="row-facts">{facts()}</p>
      </div>
      <ReasonButton
        label={t('revoke_key_of', { name: props.api_key.name })}
        why={why()}
        onPress={() => props.onRevoke()}
      >
        {t('revoke')}
      </ReasonButton>
    </li>
  );
}
