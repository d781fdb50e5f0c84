import { useQuery } from '@tanstack/solid-query';
import Plus from 'lucide-solid/icons/plus';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { usersQuery } from '../../lib/users.ts';
import { followAskedNew } from '../../parts/asked-new.ts';
import { QueryState } from '../../parts/query-state.tsx';
import { ReadOnlyNote, useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { SectionTitle } from '../../workspace/screens/section-title.tsx';
import { UserDialog } from './dialog.tsx';
import { GivenPassword } from './given-password.tsx';
import { type Credentials, NewUserDialog } from './new-user.tsx';
import { UserTable } from './table.tsx';
import './users.css';

export function Users() {
  const { client, t } = useApp();
  const users = useQuery(() => usersQuery(client));
  const [creating, setCreating] = createSignal(false);
  const [chosen_id, choose] = createSignal<number>();
  const [created, setCreated] = createSignal<Credentials>();
  const why = useReadOnlyReason();
  followAskedNew(() => setCreating(true));
  const chosen = () => users.data?.find(({ id }) => id === chosen_id());
  return (
    <section class="section section-wide section-list" aria-labelledby="users-title">
      <div class="section-head">
        <SectionTitle id="users-title" text={t('users')} />
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
      <QueryState query={users} failure={t('users_failed')}>
        {(known) => <UserTable users={known()} onChoose={choose} />}
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
