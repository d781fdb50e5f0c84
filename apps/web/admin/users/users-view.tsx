import { useQuery } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createMemo, createSignal, For, Show } from 'solid-js';
import type { User } from '../../account/session.ts';
import { useApp } from '../../app-context.ts';
import { formatInstant } from '../../lib/format.ts';
import { Field } from '../../parts/fields/field.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
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
  const { t } = useApp();
  const count = createMemo(() => props.users.length);
  return (
    <Show when={count() > 0} fallback={<p class="empty">{t('no_users_match')}</p>}>
      <div class="table-place">
        <table class="table users" aria-labelledby="users-title">
          <thead>
            <tr>
              <th scope="col">{t('username')}</th>
              <th scope="col">{t('groups')}</th>
              <th scope="col">{t('state')}</th>
              <th scope="col">{t('source')}</th>
              <th scope="col">{t('created')}</th>
              <th scope="col">
                <span class="visually-hidden">{t('action')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={props.users}>{(user) => <UserRow user={user} onChoose={props.onChoose} />}</For>
          </tbody>
        </table>
      </div>
    </Show>
  );
}

function UserRow(props: { user: User; onChoose: (id: number) => void }) {
  const { preferences, t } = useApp();
  const why = useReadOnlyReason();
  const user = () => props.user;
  return (
    <tr>
      <th scope="row">
        <UserName name={user().username} />
      </th>
      <td>
        <span class="badges">
          <For each={user().allowed_groups}>
            {(group) => (
              <span class="tag" title={group}>
                {group}
              </span>
            )}
          </For>
        </span>
      </td>
      <td>
        <UserBadges user={user()} />
      </td>
      <td class="table-soft">{t(`source_${user().source}`)}</td>
      <td class="table-soft users-created" title={user().created_at}>
        {formatInstant(user().created_at, preferences.values.language)}
      </td>
      <td class="users-action">
        <ReasonButton
          label={t('manage_of', { name: user().username })}
          why={why()}
          onPress={() => props.onChoose(user().id)}
        >
          {t('manage')}
        </ReasonButton>
      </td>
    </tr>
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
