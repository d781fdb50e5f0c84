import { useQuery } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, For, Show } from 'solid-js';
import type { User } from '../../account/session.ts';
import { useApp } from '../../app-context.ts';
import { formatInstant } from '../../lib/format.ts';
import { Field } from '../../parts/fields/field.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { UserName } from '../../parts/user-name.tsx';
import { UserDialog } from './dialog.tsx';
import { GivenPassword } from './given-password.tsx';
import { type Credentials, NewUserDialog } from './new-user.tsx';
import { filterUsers, lockOf, usersQuery } from './users.ts';
import './users.css';

export function Users() {
  const { client, t } = useApp();
  const users = useQuery(() => usersQuery(client));
  const [text, setText] = createSignal('');
  const [creating, setCreating] = createSignal(false);
  const [chosen_id, choose] = createSignal<number>();
  const [created, setCreated] = createSignal<Credentials>();
  const why = useReadOnlyReason();
  const chosen = () => users.data?.find(({ id }) => id === chosen_id());
  return (
    <section class="section section-wide" aria-labelledby="users-title">
      <div class="section-head">
        <h3 class="section-title" id="users-title">
          {t('users')}
        </h3>
        <ReasonButton class="button button-primary" why={why()} onPress={() => setCreating(true)}>
          <Plus size={16} aria-hidden="true" /> {t('create_user')}
        </ReasonButton>
      </div>
      <ReadOnlyNote />
      <Show when={created()}>
        {(user) => (
          <GivenPassword
            text={t('user_created', { name: user().username })}
            password={user().password}
            onDismiss={() => setCreated(undefined)}
          />
        )}
      </Show>
      <Field
        label={t('filter_users')}
        value={text()}
        onChange={setText}
        class="users-filter"
        input={{ type: 'search', autocomplete: 'off' }}
      />
      <QueryState query={users} failure={t('users_failed')}>
        {(known) => <UserTable users={filterUsers(known(), text())} onChoose={choose} />}
      </QueryState>
      <Show when={creating()}>
        <NewUserDialog onCreated={setCreated} onClose={() => setCreating(false)} />
      </Show>
      <Show when={chosen_id()} keyed>
        <Show when={chosen()}>
          {(user) => <UserDialog user={user()} users={users.data ?? []} onClose={() => choose(undefined)} />}
        </Show>
      </Show>
    </section>
  );
}

function UserTable(props: { users: readonly User[]; onChoose: (id: number) => void }) {
  const { preferences, t } = useApp();
  const columns: Column<User>[] = [
    { title: 'username', is_row_name: true, cell: (user) => <UserName name={user.username} /> },
    { title: 'groups', cell: (user) => <UserGroups names={user.allowed_groups} /> },
    { title: 'state', cell: (user) => <UserBadges user={user} /> },
    { title: 'source', class: 'table-soft', cell: (user) => t(`source_${user.source}`) },
    {
      title: 'created',
      class: 'table-soft users-created',
      tooltip: ({ created_at }) => created_at,
      cell: (user) => formatInstant(user.created_at, preferences.values.language),
    },
    {
      title: 'action',
      is_title_hidden: true,
      class: 'users-action',
      cell: (user) => <ManageButton user={user} onPress={() => props.onChoose(user.id)} />,
    },
  ];
  return (
    <Table
      class="users"
      labelled_by="users-title"
      columns={columns}
      rows={props.users}
      empty={t('no_users_match')}
    />
  );
}

function UserGroups(props: { names: readonly string[] }) {
  return (
    <span class="badges">
      <For each={props.names}>
        {(group) => (
          <span class="tag" title={group}>
            {group}
          </span>
        )}
      </For>
    </span>
  );
}

function ManageButton(props: { user: User; onPress: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <ReasonButton
      label={t('manage_of', { name: props.user.username })}
      why={why()}
      onPress={() => props.onPress()}
    >
      {t('manage')}
    </ReasonButton>
  );
}

function UserBadges(props: { user: User }) {
  const { t } = useApp();
  return (
    <span class="badges">
      <Show when={props.user.is_admin}>
        <span class="badge badge-good">{t('administrator')}</span>
      </Show>
      <Show when={props.user.totp_enabled}>
        <span class="badge">{t('two_factor')}</span>
      </Show>
      <Show when={props.user.disabled}>
        <span class="badge badge-bad">{t('disabled')}</span>
      </Show>
      <Show when={lockOf(props.user, new Date())}>
        <span class="badge badge-bad">{t('locked')}</span>
      </Show>
      <Show when={props.user.must_change_password}>
        <span class="badge badge-busy">{t('must_change')}</span>
      </Show>
    </span>
  );
}
