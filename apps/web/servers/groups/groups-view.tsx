import { useQuery } from '@tanstack/solid-query';
import { createMemo, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAddressValue } from '../../lib/address-text.ts';
import { usersQuery } from '../../lib/users.ts';
import { QueryState } from '../../parts/query-state.tsx';
import type { Column } from '../../parts/table/column.ts';
import { rowFilter } from '../../parts/table/row-filter.ts';
import { DataTable } from '../../parts/table/table.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { serversQuery } from '../servers.ts';
import { useStatusWatch } from '../status/status.ts';
import { GroupPage } from './group-page.tsx';
import { countStates, type Group, gatherGroups, groupPath } from './groups.ts';
import { States } from './states.tsx';
import './groups.css';

/** All groups, or the page of the one that the address names. */
export function Groups() {
  const { client, session, t } = useApp();
  const chosen = createAddressValue('group');
  const servers = useQuery(() => serversQuery(client));
  const is_admin = () => session.user()?.is_admin === true;
  const users = useQuery(() => ({ ...usersQuery(client), enabled: is_admin() }));
  const groups = createMemo(() => gatherGroups(servers.data ?? [], users.data ?? []));
  return (
    <QueryState query={servers} failure={t('servers_failed')}>
      {() => (
        <Show
          when={chosen.value() !== undefined}
          fallback={<GroupTable groups={groups()} has_users={users.data !== undefined} />}
        >
          <GroupPage name={chosen.value() ?? ''} groups={groups()} users={users} />
        </Show>
      )}
    </QueryState>
  );
}

function GroupTable(props: { groups: readonly Group[]; has_users: boolean }) {
  const { session, t } = useApp();
  const { goTo } = useWorkspace();
  const { states } = useStatusWatch();
  const is_admin = () => session.user()?.is_admin === true;
  const nameOf = ({ name }: Group) => name || t('ungrouped');
  const users: Column<Group> = {
    ...{ id: 'users', title: 'users', width: 90, rank: 1, class: 'table-soft' },
    sort: (group) => group.users.length,
    cell: ({ users: { length } }) => (props.has_users ? t('group_count_users', { count: length }) : ''),
  };
  const columns = (): Column<Group>[] => [
    {
      ...{ id: 'name', title: 'name', is_row_name: true, width: 180, grow: 2 },
      sort: ({ name }) => name || undefined,
      cell: nameOf,
    },
    {
      ...{ id: 'servers', title: 'servers', width: 90, class: 'table-soft' },
      sort: ({ servers }) => servers.length,
      cell: ({ servers: { length } }) => t('rail_servers', { count: length }),
    },
    {
      ...{ id: 'status', title: 'status', width: 240, grow: 2, is_beside_name: true },
      sort: ({ servers }) => -servers.filter(({ id }) => states()(id) === 'offline').length,
      cell: ({ servers }) => <States counts={countStates(servers, states())} />,
    },
    ...(is_admin() ? [users] : []),
  ];
  return (
    <section class="section section-wide" aria-labelledby="groups-title">
      <div class="section-head">
        <SectionTitle id="groups-title" text={t('groups')} />
      </div>
      <p class="section-lead">{t(is_admin() ? 'groups_lead' : 'groups_lead_user')}</p>
      <DataTable
        id="groups"
        labelled_by="groups-title"
        columns={columns()}
        rows={props.groups}
        idOf={({ name }) => name}
        nameOf={nameOf}
        filter={rowFilter(t, {
          label: 'filter_groups',
          textsOf: (group: Group) => [nameOf(group)],
          none: t('no_groups_match'),
        })}
        onOpen={({ name }) => goTo(groupPath(is_admin(), name))}
        empty={t('groups_empty')}
      />
    </section>
  );
}
