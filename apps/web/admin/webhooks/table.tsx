import { useQueryClient } from '@tanstack/solid-query';
import Ellipsis from 'lucide-solid/icons/ellipsis';
import List from 'lucide-solid/icons/list';
import Send from 'lucide-solid/icons/send';
import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import type { BulkAction } from '../../parts/table/bulk-run.ts';
import type { Column } from '../../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../../parts/table/drawer.tsx';
import { rowFilter } from '../../parts/table/row-filter.ts';
import { DataTable } from '../../parts/table/table.tsx';
import { reasonOf } from '../../parts/trouble.tsx';
import { EventBadge, LastFired, Signed } from './facts.tsx';
import { hostOf, lastStateOf, removeWebhook, switchWebhook, WEBHOOKS_KEY, type Webhook } from './webhooks.ts';

interface Acts {
  readonly onEdit: (webhook: Webhook) => void;
  readonly onDelete: (webhook: Webhook) => void;
  readonly onDeliveries: (webhook: Webhook) => void;
  readonly onTest: (webhook: Webhook) => void;
}

interface Props extends Acts {
  readonly webhooks: readonly Webhook[];
  readonly returned_id: number | undefined;
}

export function WebhookTable(props: Props) {
  const { t } = useApp();
  const columns = createColumns(props);
  const bulk = createWebhookBulk();
  return (
    <DataTable
      id="webhooks"
      labelled_by="webhooks-title"
      columns={columns}
      rows={props.webhooks}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      returned_id={props.returned_id}
      filter={rowFilter(t, { textsOf: ({ name, url, events }: Webhook) => [name, url, ...events] })}
      bulk={bulk}
      details={(webhook) => <WebhookDetails webhook={webhook} acts={props} />}
      empty={t('webhooks_empty')}
    />
  );
}

function createColumns(acts: Acts): Column<Webhook>[] {
  const { t } = useApp();
  const eventsOf = ({ events }: Webhook) =>
    events
      .map((event) => (event === '*' ? t('webhook_all_events') : (t.optional(`event_${event}`) ?? event)))
      .join(', ');
  return [
    {
      ...{ id: 'name', title: 'name', is_row_name: true, width: 100, grow: 2 },
      sort: ({ name }) => name,
      cell: ({ name }) => name,
    },
    {
      ...{ id: 'last', title: 'webhook_last', width: 100, grow: 2, rank: 1, class: 'table-soft' },
      sort: ({ last_fired_at }) => last_fired_at ?? undefined,
      tooltip: (webhook) => t(`webhook_last_${lastStateOf(webhook)}`, { status: webhook.last_status ?? 0 }),
      cell: (webhook) => <LastFired webhook={webhook} />,
    },
    {
      ...{ id: 'host', title: 'webhook_url', width: 140, grow: 1, rank: 3, class: 'table-soft' },
      sort: ({ url }) => hostOf(url),
      cell: ({ url }) => <code>{hostOf(url)}</code>,
    },
    {
      ...{ id: 'events', title: 'webhook_events', width: 140, grow: 1, rank: 4, class: 'table-soft' },
      tooltip: eventsOf,
      cell: eventsOf,
    },
    {
      ...{ id: 'enabled', title: 'state', width: 120, rank: 2 },
      sort: ({ enabled }) => Number(!enabled),
      cell: (webhook) => <EnabledSwitch webhook={webhook} />,
    },
    {
      ...{ id: 'action', title: 'action', is_title_hidden: true, width: 96 },
      cell: (webhook) => <RowActions webhook={webhook} acts={acts} />,
    },
  ];
}

function EnabledSwitch(props: { webhook: Webhook }) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const attempt = createAttempt();
  const why = useReadOnlyReason();
  function turn(enabled: boolean): void {
    void attempt.run(async () => {
      await switchWebhook(client, props.webhook, enabled);
      await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
    });
  }
  return (
    <>
      <SwitchField
        label={t('webhook_enabled')}
        about={props.webhook.name}
        checked={props.webhook.enabled}
        disabled={why() !== undefined || attempt.busy()}
        onChange={turn}
      />
      <Show when={attempt.error()}>
        <p class="bad" role="alert">
          {t('webhook_not_switched')}: {reasonOf(attempt.error(), t)}
        </p>
      </Show>
    </>
  );
}

function RowActions(props: { webhook: Webhook; acts: Acts }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const name = () => props.webhook.name;
  return (
    <>
      <ReasonButton
        class="icon-button icon-button-small"
        label={t('webhook_test_of', { name: name() })}
        title={t('webhook_test_of', { name: name() })}
        why={why()}
        onPress={() => props.acts.onTest(props.webhook)}
      >
        <Send size={15} aria-hidden="true" />
      </ReasonButton>
      <button
        type="button"
        class="icon-button icon-button-small"
        aria-label={t('webhook_deliveries_of', { name: name() })}
        title={t('webhook_deliveries_of', { name: name() })}
        onClick={() => props.acts.onDeliveries(props.webhook)}
      >
        <List size={16} aria-hidden="true" />
      </button>
      <Menu
        label={t('webhook_more_of', { name: name() })}
        icon={<Ellipsis size={16} aria-hidden="true" />}
        class="icon-button icon-button-small"
      >
        <MenuItem label={t('webhook_edit')} why={why()} onSelect={() => props.acts.onEdit(props.webhook)} />
        <MenuSeparator />
        <MenuItem
          label={t('webhook_delete')}
          danger
          why={why()}
          onSelect={() => props.acts.onDelete(props.webhook)}
        />
      </Menu>
    </>
  );
}

function WebhookDetails(props: { webhook: Webhook; acts: Acts }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <>
      <DrawerActions>
        <button type="button" class="button" onClick={() => props.acts.onDeliveries(props.webhook)}>
          {t('webhook_deliveries')}
        </button>
        <ReasonButton why={why()} onPress={() => props.acts.onTest(props.webhook)}>
          {t('webhook_test')}
        </ReasonButton>
        <ReasonButton why={why()} onPress={() => props.acts.onEdit(props.webhook)}>
          {t('webhook_edit')}
        </ReasonButton>
        <ReasonButton why={why()} onPress={() => props.acts.onDelete(props.webhook)}>
          {t('webhook_delete')}
        </ReasonButton>
      </DrawerActions>
      <Facts>
        <Fact label={t('webhook_url')}>
          <code>{hostOf(props.webhook.url)}</code>
        </Fact>
        <Fact label={t('webhook_events')}>
          <span class="webhook-events">
            <For each={props.webhook.events}>{(event) => <EventBadge event={event} />}</For>
          </span>
        </Fact>
        <Fact label={t('webhook_last')}>
          <LastFired webhook={props.webhook} />
        </Fact>
        <Fact label={t('webhook_secret')}>
          <Signed webhook={props.webhook} />
        </Fact>
      </Facts>
    </>
  );
}

function createWebhookBulk(): BulkAction<Webhook>[] {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const after = () => queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
  return [
    {
      ...{ id: 'enable', label: t('bulk_enable'), after },
      question: (count) => t('bulk_enable_webhooks', { count }),
      run: (webhook) => switchWebhook(client, webhook, true),
    },
    {
      ...{ id: 'disable', label: t('bulk_disable'), after },
      question: (count) => t('bulk_disable_webhooks', { count }),
      run: (webhook) => switchWebhook(client, webhook, false),
    },
    {
      ...{ id: 'delete', label: t('bulk_delete'), text: t('webhook_delete_text'), danger: true, after },
      question: (count) => t('bulk_delete_webhooks', { count }),
      run: (webhook) => removeWebhook(client, webhook),
    },
  ];
}
