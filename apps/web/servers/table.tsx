import Ellipsis from 'lucide-solid/icons/ellipsis';
import Plug from 'lucide-solid/icons/plug';
import { createMemo, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { Translate } from '../i18n/languages.ts';
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { once, type QueryKey, toValues } from '../parts/query-bar/keys.ts';
import { appliedText, type Query } from '../parts/query-bar/read.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import type { Column } from '../parts/table/column.ts';
import { sortRows } from '../parts/table/order.ts';
import { DataTable } from '../parts/table/table.tsx';
import { Time } from '../parts/time.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import { createServerBulk } from './bulk.ts';
import { ServerDetails } from './details.tsx';
import { addressOf, Credential, keyExchangeOf } from './facts.tsx';
import { findServers } from './find/find.ts';
import { parseQuery, STATES } from './find/query.ts';
import { STATE_ORDER } from './groups/groups.ts';
import { useKnownServers } from './known-servers.ts';
import type { Server } from './servers.ts';
import { StatusDot } from './status/dot.tsx';
import { describeStatus, stateWords, useStatusWatch } from './status/status.ts';
import './table.css';

interface Props {
  readonly servers: readonly Server[];
  /** On the page of a group: the heading that names the table, and what is said without servers. */
  readonly group?: { readonly title_id: string; readonly empty: string };
}

export function ServerTable(props: Props) {
  const { session, t } = useApp();
  const known = useKnownServers();
  const names = createMemo(() => new Map(props.servers.map(({ id, name }) => [id, name])));
  const viaOf = ({ jump_via_id }: Server) => {
    const name = names().get(jump_via_id ?? 0);
    return name ? t('via_of', { name }) : '';
  };
  const servers = createMemo(() => sortRows(props.servers, ({ name }) => name, false));
  const columns = createColumns(viaOf).filter(({ id }) => id !== 'group' || !props.group);
  /** Finds what the rail finds, but keeps the order of the table. */
  const matches = (asked: Query) => {
    const query = parseQuery(appliedText(asked));
    const index = known.index();
    const found = index ? findServers(query, index, known.surroundingsOf(query)) : [];
    const ids = new Set(found.map(({ server }) => server.id));
    return ({ id }: Server) => ids.has(id);
  };
  const bulk = session.user()?.is_admin ? createServerBulk(() => props.servers) : [];
  return (
    <DataTable
      id={props.group ? 'group_servers' : 'servers'}
      labelled_by={props.group?.title_id ?? 'servers-title'}
      columns={columns}
      rows={servers()}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      filter={{
        label: 'filter_servers',
        keys: () => serverKeys(props.servers, t),
        matches,
        none: t('no_servers_match'),
      }}
      bulk={bulk}
      details={(server) => <ServerDetails server={server} via={viaOf(server)} />}
      empty={props.group?.empty ?? t('no_servers_admin_page')}
    />
  );
}

function serverKeys(servers: readonly Server[], t: Translate): readonly QueryKey[] {
  const states = STATES.map((value) => ({ value, label: t(`server_${value}`) }));
  return [
    {
      ...{ key: 'is', label: 'state', is_many: true },
      values: () => [...states, { value: 'favorite', label: t('favorites') }],
    },
    {
      ...{ key: 'group', label: 'group', is_many: true },
      values: once(() => {
        const groups = toValues(servers.map(({ group }) => group));
        return [...groups, { value: '', label: t('ungrouped') }];
      }),
    },
    {
      ...{ key: 'tag', label: 'tags', is_many: true },
      values: once(() => toValues(servers.flatMap(({ tags }) => tags))),
    },
  ];
}

function createColumns(viaOf: (server: Server) => string): Column<Server>[] {
  const { t } = useApp();
  const { statusOf } = useStatusWatch();
  return [
    {
      ...{ id: 'name', title: 'name', is_row_name: true, width: 150, grow: 4 },
      sort: ({ name }) => name,
      cell: ({ name }) => name,
    },
    {
      ...{ id: 'status', title: 'status', width: 130, grow: 1, is_beside_name: true },
      sort: ({ id }) => STATE_ORDER.indexOf(statusOf(id).status),
      cell: (server) => <StatusCell server_id={server.id} />,
    },
    {
      ...{ id: 'address', title: 'address', width: 180, grow: 2, rank: 1, class: 'table-soft' },
      sort: ({ hostname, port }) => `${hostname}:${port}`,
      tooltip: addressOf,
      cell: addressOf,
    },
    {
      ...{ id: 'group', title: 'group', width: 110, grow: 1, rank: 2 },
      sort: ({ group }) => group || undefined,
      tooltip: ({ group }) => group,
      cell: ({ group }) => group || <span class="table-soft">{t('ungrouped')}</span>,
    },
    {
      ...{ id: 'tags', title: 'tags', width: 100, grow: 1, rank: 4, class: 'table-soft' },
      hides_empty: true,
      sort: ({ tags }) => tags.join(', ') || undefined,
      tooltip: ({ tags }) => tags.join(', '),
      cell: ({ tags }) => tags.join(', '),
    },
    {
      ...{ id: 'via', title: 'via', width: 110, grow: 1, rank: 6, class: 'table-soft' },
      hides_empty: true,
      sort: (server) => viaOf(server) || undefined,
      cell: viaOf,
    },
    {
      ...{ id: 'credential', title: 'credential', width: 150, rank: 3 },
      sort: ({ auth_method }) => auth_method,
      cell: (server) => <Credential server={server} />,
    },
    {
      ...{ id: 'host_key', title: 'host_key', width: 130, rank: 7, class: 'table-soft' },
      sort: ({ host_key_fingerprint }) => host_key_fingerprint ?? undefined,
      cell: (server) => <HostKeyCell server={server} />,
    },
    {
      ...{ id: 'key_exchange', title: 'key_exchange', width: 140, rank: 5 },
      sort: ({ is_post_quantum }) => (is_post_quantum == null ? undefined : Number(is_post_quantum)),
      tooltip: (server) => keyExchangeOf(server, t).reason,
      cell: (server) => <KeyExchangeCell server={server} />,
    },
    {
      ...{ id: 'created', title: 'created', width: 130, rank: 8, is_extra: true, class: 'table-soft' },
      sort: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      ...{ id: 'action', title: 'action', is_title_hidden: true, width: 76 },
      cell: (server) => <RowActions server={server} />,
    },
  ];
}

/** One line: the reason is in the tooltip and in the details. */
function StatusCell(props: { server_id: number }) {
  const { preferences, t } = useApp();
  const { statusOf } = useStatusWatch();
  const status = () => statusOf(props.server_id);
  return (
    <span class="table-line" title={describeStatus(status(), preferences.values.language, t)}>
      <StatusDot status={status().status} /> {stateWords(status(), t)}
      <Show when={status().latency_ms !== null}>
        <span class="table-soft">{t('milliseconds', { ms: Math.round(status().latency_ms ?? 0) })}</span>
      </Show>
      <Show when={status().offline_since}>
        {(since) => (
          <span class="table-soft">
            <Time at={since()} />
          </span>
        )}
      </Show>
      <Show when={status().host_key_verified === false}>
        <span class="badge badge-busy">{t('host_key_not_verified')}</span>
      </Show>
    </span>
  );
}

function HostKeyCell(props: { server: Server }) {
  const { t } = useApp();
  return (
    <Show when={props.server.host_key_fingerprint} fallback={t('not_pinned')}>
      {(fingerprint) => <code title={fingerprint()}>{fingerprint().replace(/^SHA256:/, '')}</code>}
    </Show>
  );
}

function KeyExchangeCell(props: { server: Server }) {
  const { t } = useApp();
  return (
    <span classList={{ 'table-soft': props.server.is_post_quantum == null }}>
      {keyExchangeOf(props.server, t).text}
    </span>
  );
}

function RowActions(props: { server: Server }) {
  const { session, t } = useApp();
  const { show, tabs } = useWorkspace();
  const why = useReadOnlyReason();
  const name = () => props.server.name;
  const open = (kind: 'terminal' | 'files') =>
    tabs.open({ kind, server_id: props.server.id, server_name: name() });
  return (
    <>
      <ReasonButton
        class="icon-button icon-button-small"
        label={t('test_of', { name: name() })}
        title={t('test_of', { name: name() })}
        why={why()}
        onPress={() => show({ kind: 'test', server: props.server })}
      >
        <Plug size={15} aria-hidden="true" />
      </ReasonButton>
      <Menu
        label={t('more_about', { name: name() })}
        icon={<Ellipsis size={16} aria-hidden="true" />}
        class="icon-button icon-button-small"
      >
        <MenuItem
          label={t('open_a_terminal')}
          why={props.server.ssh_enabled ? undefined : t('ssh_off')}
          onSelect={() => open('terminal')}
        />
        <MenuItem
          label={t('open_the_files')}
          why={props.server.sftp_enabled ? undefined : t('sftp_off')}
          onSelect={() => open('files')}
        />
        <Show when={session.user()?.is_admin}>
          <MenuSeparator />
          <MenuItem
            label={t('edit')}
            why={why()}
            later
            onSelect={() => show({ kind: 'server_form', server: props.server })}
          />
          <MenuSeparator />
          <MenuItem
            label={t('delete')}
            danger
            why={why()}
            later
            onSelect={() => show({ kind: 'delete', server: props.server })}
          />
        </Show>
      </Menu>
    </>
  );
}
