import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatInstant } from '../../lib/format.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import type { Column } from '../../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../../parts/table/drawer.tsx';
import { rowFilter } from '../../parts/table/row-filter.ts';
import { DataTable } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { acceptAgain, type RevokedKey, revokedKeysQuery } from './revoked.ts';

/** The host keys that are refused, for administrators. Shown only if there are any. */
export function RevokedKeys() {
  const { client, t } = useApp();
  const keys = useQuery(() => revokedKeysQuery(client));
  const [accepting, accept] = createSignal<RevokedKey>();
  const known = () => keys.data ?? [];
  return (
    <Show when={known().length > 0}>
      <section class="section section-wide" aria-labelledby="revoked-keys-title">
        <h3 class="section-title" id="revoked-keys-title">
          {t('revoked_keys')}
        </h3>
        <p class="section-lead">{t('revoked_keys_lead')}</p>
        <KeyTable keys={known()} onAccept={accept} />
        <Show when={accepting()}>
          {(key) => <AcceptAgain revoked={key()} onClose={() => accept(undefined)} />}
        </Show>
      </section>
    </Show>
  );
}

function KeyTable(props: { keys: readonly RevokedKey[]; onAccept: (key: RevokedKey) => void }) {
  const { preferences, t } = useApp();
  const day = ({ created_at }: RevokedKey) => formatInstant(created_at, preferences.values.language);
  const button = (key: RevokedKey) => <AcceptButton revoked={key} onPress={() => props.onAccept(key)} />;
  const columns: Column<RevokedKey>[] = [
    {
      ...{ id: 'names', title: 'revoked_names', is_row_name: true, width: 150, grow: 1 },
      sort: ({ names }) => names,
      cell: ({ names }) => names,
    },
    {
      ...{ id: 'key', title: 'revoked_key', width: 180, grow: 2, rank: 1, class: 'table-soft' },
      tooltip: ({ fingerprint }) => fingerprint,
      cell: ({ fingerprint }) => <code>{fingerprint}</code>,
    },
    {
      ...{ id: 'created', title: 'revoked_on', width: 130, rank: 2, class: 'table-soft' },
      sort: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    { id: 'action', title: 'action', is_title_hidden: true, width: 140, cell: button },
  ];
  return (
    <DataTable
      id="revoked_keys"
      labelled_by="revoked-keys-title"
      columns={columns}
      rows={props.keys}
      idOf={({ id }) => id}
      nameOf={({ names }) => names}
      filter={rowFilter(t, {
        textsOf: ({ names, fingerprint }: RevokedKey) => [names, fingerprint],
        param: 'revoked_q',
      })}
      details={(key) => (
        <>
          <DrawerActions>{button(key)}</DrawerActions>
          <Facts>
            <Fact label={t('revoked_key')}>
              <code>{key.fingerprint}</code>
            </Fact>
            <Fact label={t('revoked_on')}>{day(key)}</Fact>
          </Facts>
        </>
      )}
      empty={t('revoked_none')}
    />
  );
}

function AcceptButton(props: { revoked: RevokedKey; onPress: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <ReasonButton
      label={t('revoked_accept_named', { name: props.revoked.names })}
      why={why()}
      onPress={() => props.onPress()}
    >
      {t('revoked_accept')}
    </ReasonButton>
  );
}

/** Asks before a revoked key is accepted again. */
function AcceptAgain(props: { revoked: RevokedKey; onClose: () => void }) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  async function accept(): Promise<void> {
    await acceptAgain(client, props.revoked);
    await queries.invalidateQueries({ queryKey: revokedKeysQuery(client).queryKey });
  }
  return (
    <Confirm
      title={t('revoked_accept_of', { name: props.revoked.names })}
      text={t('revoked_accept_text')}
      action={t('revoked_accept_now')}
      failure={t('revoked_not_accepted')}
      danger
      onConfirm={accept}
      onClose={props.onClose}
    >
      <dl class="facts">
        <dt>{t('revoked_key')}</dt>
        <dd>
          <code class="fingerprint">{props.revoked.fingerprint}</code>
        </dd>
      </dl>
    </Confirm>
  );
}
