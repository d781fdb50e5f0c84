import { useQuery, useQueryClient } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, For, type ParentProps, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatInstant } from '../lib/format.ts';
import { followAskedNew } from '../parts/asked-new.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { QueryState } from '../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import type { BulkAction } from '../parts/table/bulk-run.ts';
import type { Column } from '../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../parts/table/drawer.tsx';
import { rowFilter } from '../parts/table/row-filter.ts';
import { DataTable } from '../parts/table/table.tsx';
import { Time } from '../parts/time.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { type ApiKey, apiKeysQuery, isExpired, revokeKey } from './account.ts';
import { NewKey } from './new-api-key.tsx';

export function AccountKeys() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const keys = useQuery(() => apiKeysQuery(client));
  const [creating, setCreating] = createSignal(false);
  const [revoking, setRevoking] = createSignal<ApiKey>();
  const why = useReadOnlyReason();
  followAskedNew(() => setCreating(true));
  const refresh = () => queries.invalidateQueries({ queryKey: apiKeysQuery(client).queryKey });

  async function revoke(key: ApiKey): Promise<void> {
    await revokeKey(client, key);
    await refresh();
  }

  return (
    <section class="section section-wide" aria-labelledby="keys-title">
      <div class="section-head">
        <SectionTitle id="keys-title" text={t('api_keys')} />
        <ReasonButton class="button button-primary" why={why()} onPress={() => setCreating(true)}>
          <Plus size={16} aria-hidden="true" /> {t('create_key')}
        </ReasonButton>
      </div>
      <ReadOnlyNote />
      <p class="section-lead">
        {t('api_keys_lead')}{' '}
        <a href={client.url('/docs').href} target="_blank" rel="noopener">
          {t('api_reference')}
        </a>
      </p>
      <QueryState query={keys} failure={t('api_keys_failed')}>
        {(known) => <KeyTable keys={known()} onRevoke={setRevoking} />}
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

function KeyTable(props: { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void }) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const revoke: BulkAction<ApiKey> = {
    ...{ id: 'revoke', label: t('bulk_revoke'), text: t('revoke_text'), danger: true },
    question: (count) => t('bulk_revoke_keys', { count }),
    run: (key) => revokeKey(client, key),
    after: () => queries.invalidateQueries({ queryKey: apiKeysQuery(client).queryKey }),
  };
  const button = (key: ApiKey) => <RevokeButton api_key={key} onPress={() => props.onRevoke(key)} />;
  const columns = [...createColumns(), { ...ACTION, cell: button }];
  const bulk = [revoke];
  return (
    <DataTable
      id="api_keys"
      labelled_by="keys-title"
      columns={columns}
      rows={props.keys}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      filter={rowFilter(t, {
        textsOf: ({ name, key_prefix, scopes }: ApiKey) => [name, key_prefix, ...scopes],
      })}
      bulk={bulk}
      details={(key) => <KeyDetails api_key={key}>{button(key)}</KeyDetails>}
      empty={t('no_api_keys')}
    />
  );
}

const ACTION = { id: 'action', title: 'action', is_title_hidden: true, width: 96 } as const;

function createColumns(): Column<ApiKey>[] {
  const { t } = useApp();
  return [
    {
      ...{ id: 'name', title: 'name', is_row_name: true, width: 130, grow: 2 },
      sort: ({ name }) => name,
      cell: ({ name }) => name,
    },
    {
      ...{ id: 'prefix', title: 'api_key_prefix', width: 110, rank: 4, class: 'table-soft' },
      cell: ({ key_prefix }) => <code>{key_prefix}…</code>,
    },
    {
      ...{ id: 'scopes', title: 'api_key_scopes', width: 130, grow: 1, rank: 1 },
      cell: (key) => <Scopes api_key={key} />,
    },
    {
      ...{ id: 'last_used', title: 'api_key_last_used', width: 130, rank: 2, class: 'table-soft' },
      sort: ({ last_used_at }) => last_used_at ?? undefined,
      cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : t('api_key_never')),
    },
    {
      ...{ id: 'expires', title: 'api_key_expires', width: 130, rank: 3, class: 'table-soft' },
      sort: ({ expires_at }) => expires_at ?? undefined,
      cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : t('api_key_never')),
    },
    {
      ...{ id: 'created', title: 'created', width: 130, rank: 5, class: 'table-soft' },
      sort: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
}

function Scopes(props: { api_key: ApiKey }) {
  const { t } = useApp();
  return (
    <span class="table-badges">
      <Show when={isExpired(props.api_key, new Date())}>
        <span class="badge badge-bad">{t('expired')}</span>
      </Show>
      <For each={props.api_key.scopes}>{(scope) => <span class="badge">{t(`scope_${scope}`)}</span>}</For>
    </span>
  );
}

function KeyDetails(props: ParentProps<{ api_key: ApiKey }>) {
  const { preferences, t } = useApp();
  const key = () => props.api_key;
  const moment = (instant: string | null) =>
    instant ? formatInstant(instant, preferences.values.language) : t('api_key_never');
  return (
    <>
      <DrawerActions>{props.children}</DrawerActions>
      <Facts>
        <Fact label={t('api_key_prefix')}>
          <code>{key().key_prefix}…</code>
        </Fact>
        <Fact label={t('api_key_scopes')}>
          <Scopes api_key={key()} />
        </Fact>
        <Fact label={t('created')}>{moment(key().created_at)}</Fact>
        <Fact label={t('api_key_last_used')}>{moment(key().last_used_at)}</Fact>
        <Fact label={t('api_key_expires')}>{moment(key().expires_at)}</Fact>
      </Facts>
    </>
  );
}

function RevokeButton(props: { api_key: ApiKey; onPress: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <ReasonButton
      label={t('revoke_key_of', { name: props.api_key.name })}
      why={why()}
      onPress={() => props.onPress()}
    >
      {t('revoke')}
    </ReasonButton>
  );
}
