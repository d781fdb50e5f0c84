import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatInstant } from '../lib/format.ts';
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
import { ForgetQuickKey } from './forget-key.tsx';
import { forgetQuickKey, formatPlace, type QuickKey, quickKeysQuery } from './host-keys.ts';

/** The host keys pinned by the user's quick connections. */
export function QuickKeys() {
  const { client, t } = useApp();
  const keys = useQuery(() => quickKeysQuery(client));
  const [forgetting, forget] = createSignal<QuickKey>();
  return (
    <section class="section section-wide" aria-labelledby="quick-keys-title">
      <SectionTitle id="quick-keys-title" text={t('quick_keys')} />
      <p class="section-lead">{t('quick_keys_lead')}</p>
      <ReadOnlyNote />
      <QueryState query={keys} failure={t('quick_keys_failed')}>
        {(known) => <KeyTable pins={known()} onForget={forget} />}
      </QueryState>
      <Show when={forgetting()}>
        {(pin) => <ForgetQuickKey pin={pin()} onClose={() => forget(undefined)} />}
      </Show>
    </section>
  );
}

function KeyTable(props: { pins: readonly QuickKey[]; onForget: (pin: QuickKey) => void }) {
  const { client, preferences, t } = useApp();
  const queries = useQueryClient();
  const day = ({ created_at }: QuickKey) => formatInstant(created_at, preferences.values.language);
  const button = (pin: QuickKey) => <ForgetButton pin={pin} onPress={() => props.onForget(pin)} />;
  const columns: Column<QuickKey>[] = [
    {
      ...{ id: 'host', title: 'quick_host', is_row_name: true, width: 150, grow: 1 },
      sort: formatPlace,
      cell: formatPlace,
    },
    {
      ...{ id: 'key', title: 'pinned_key', width: 180, grow: 2, rank: 1, class: 'table-soft' },
      tooltip: ({ fingerprint }) => fingerprint,
      cell: ({ fingerprint }) => <code>{fingerprint}</code>,
    },
    {
      ...{ id: 'created', title: 'quick_pinned', width: 130, rank: 2, class: 'table-soft' },
      sort: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    { id: 'action', title: 'action', is_title_hidden: true, width: 110, cell: button },
  ];
  const forget: BulkAction<QuickKey> = {
    ...{ id: 'forget', label: t('bulk_forget'), text: t('quick_forget_text'), danger: true },
    question: (count) => t('bulk_forget_keys', { count }),
    run: (pin) => forgetQuickKey(client, pin),
    after: () => queries.invalidateQueries({ queryKey: quickKeysQuery(client).queryKey }),
  };
  const bulk = [forget];
  return (
    <DataTable
      id="quick_keys"
      labelled_by="quick-keys-title"
      columns={columns}
      rows={props.pins}
      idOf={({ id }) => id}
      nameOf={formatPlace}
      filter={rowFilter(t, { textsOf: (pin: QuickKey) => [formatPlace(pin), pin.fingerprint] })}
      bulk={bulk}
      details={(pin) => (
        <>
          <DrawerActions>{button(pin)}</DrawerActions>
          <Facts>
            <Fact label={t('pinned_key')}>
              <code>{pin.fingerprint}</code>
            </Fact>
            <Fact label={t('quick_pinned')}>{day(pin)}</Fact>
          </Facts>
        </>
      )}
      empty={t('quick_keys_none')}
    />
  );
}

function ForgetButton(props: { pin: QuickKey; onPress: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <ReasonButton
      label={t('quick_forget_named', { name: formatPlace(props.pin) })}
      why={why()}
      onPress={() => props.onPress()}
    >
      {t('quick_forget')}
    </ReasonButton>
  );
}
