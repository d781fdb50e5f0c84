import { A } from '@solidjs/router';
import { createMemo, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { User } from '../../app/session.ts';
import { formatToken } from '../../lib/query/tokens.ts';
import { Name } from '../../parts/name.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import type { Group } from './groups.ts';

const MOST_SHOWN = 100;

export interface AskedUsers {
  readonly data: User[] | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  refetch(): Promise<unknown>;
}

/** Lists who can reach the servers of a group: the users who have it, and the administrators. */
export function GroupAccess(props: { group: Group; users: AskedUsers }) {
  const { t } = useApp();
  return (
    <section class="section section-wide" aria-labelledby="group-access-title">
      <div class="section-head">
        <h3 class="section-title" id="group-access-title">
          {t('group_access')}
        </h3>
        <A class="button" href="/admin/users">
          {t('group_manage_users')}
        </A>
      </div>
      <QueryState query={props.users} failure={t('users_failed')}>
        {(users) => <People group={props.group} users={users()} />}
      </QueryState>
    </section>
  );
}

function People(props: { group: Group; users: readonly User[] }) {
  const { t } = useApp();
  const admins = createMemo(() => props.users.filter(({ is_admin }) => is_admin));
  const others = createMemo(() => props.group.users.filter(({ is_admin }) => !is_admin));
  return (
    <div class="group-people">
      <Show when={props.group.name !== ''} fallback={<p class="section-lead">{t('group_none_access')}</p>}>
        <List
          title={t('group_users')}
          users={others()}
          empty={t('group_no_users')}
          more={formatToken('group', props.group.name)}
        />
      </Show>
      <List title={t('group_admins')} users={admins()} more={formatToken('is', 'admin')} />
    </div>
  );
}

interface ListProps {
  readonly title: string;
  readonly users: readonly User[];
  readonly empty?: string;
  /** The query of the list of users that finds all of them. */
  readonly more: string;
}

function List(props: ListProps) {
  const { t } = useApp();
  const more = () => props.users.length - MOST_SHOWN;
  return (
    <div>
      <h4 class="group-people-title">
        {props.title} <span class="table-soft">{props.users.length}</span>
      </h4>
      <Show when={props.users.length > 0} fallback={<p class="section-lead">{props.empty}</p>}>
        <ul class="rows">
          <For each={props.users.slice(0, MOST_SHOWN)}>{(user) => <Person user={user} />}</For>
        </ul>
      </Show>
      <Show when={more() > 0}>
        <p>
          <A class="group-more" href={`/admin/users?${new URLSearchParams({ q: props.more })}`}>
            {t('group_more_users', { count: more() })}
          </A>
        </p>
      </Show>
    </div>
  );
}

function Person(props: { user: User }) {
  const { t } = useApp();
  return (
    <li class="group-person">
      <A href={`/admin/users?users_open=${props.user.id}`}>
        <Name text={props.user.username} />
      </A>
      <Show when={props.user.source !== 'local'}>
        <span class="badge">{t(`source_${props.user.source}`)}</span>
      </Show>
      <Show when={props.user.disabled}>
        <span class="badge badge-bad">{t('disabled')}</span>
      </Show>
    </li>
  );
}
