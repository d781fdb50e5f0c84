import { useQueryClient } from '@tanstack/solid-query';
import { useApp } from '../../app/context.ts';
import type { User } from '../../app/session.ts';
import { usersQuery } from '../../lib/users.ts';
import type { BulkAction } from '../../parts/table/bulk-run.ts';
import { saveUser, type Touched, type UserChange, whyNot } from './users.ts';

/** What can be done with several users at once. */
export function createUserBulk(users: () => readonly User[]): BulkAction<User>[] {
  const { client, session, t } = useApp();
  const queries = useQueryClient();
  const after = () => queries.invalidateQueries({ queryKey: usersQuery(client).queryKey });
  const skips = (change: UserChange) => (user: User) => {
    const key = whyNot(change, { user, users: users(), own_id: session.user()?.id });
    return key && t(key);
  };
  const save = (user: User, touched: Touched) => saveUser(client, user, touched);
  const groups = () => [...new Set(users().flatMap(({ allowed_groups }) => allowed_groups))];
  const field = {
    label: t('group'),
    get known() {
      return groups();
    },
  };
  return [
    {
      ...{ id: 'add_group', label: t('bulk_add_group'), field, after },
      question: (count) => t('bulk_add_group_users', { count }),
      run: (user, group) => save(user, { allowed_groups: [...new Set([...user.allowed_groups, group])] }),
    },
    {
      ...{ id: 'remove_group', label: t('bulk_remove_group'), field, after },
      question: (count) => t('bulk_remove_group_users', { count }),
      run: (user, group) =>
        save(user, { allowed_groups: user.allowed_groups.filter((own) => own !== group) }),
    },
    {
      ...{ id: 'sign_out', label: t('sign_out_everywhere'), text: t('sign_user_out_text'), danger: true },
      question: (count) => t('bulk_sign_out_users', { count }),
      async run({ id: user_id }) {
        await client.http.DELETE('/api/auth/users/{user_id}/sessions', { params: { path: { user_id } } });
      },
    },
    {
      ...{ id: 'disable', label: t('bulk_disable'), text: t('is_disabled_hint'), after },
      question: (count) => t('bulk_disable_users', { count }),
      skips: skips('disable'),
      run: (user) => save(user, { disabled: true }),
    },
    {
      ...{ id: 'enable', label: t('bulk_enable'), after },
      question: (count) => t('bulk_enable_users', { count }),
      run: (user) => save(user, { disabled: false }),
    },
    {
      ...{ id: 'delete', label: t('bulk_delete'), text: t('delete_user_text'), danger: true, after },
      question: (count) => t('bulk_delete_users', { count }),
      skips: skips('delete'),
      async run({ id: user_id }) {
        await client.http.DELETE('/api/auth/users/{user_id}', { params: { path: { user_id } } });
      },
    },
  ];
}
