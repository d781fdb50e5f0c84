import { useQueryClient } from '@tanstack/solid-query';
import { useApp } from '../../app/context.ts';
import type { User } from '../../app/session.ts';
import { usersQuery } from '../../lib/users.ts';
import type { BulkAction } from '../../parts/table/bulk-run.ts';
import type { Server } from '../servers.ts';
import type { Group } from './groups.ts';

export type RenameStep =
  | { readonly kind: 'give' | 'take'; readonly user: User }
  | { readonly kind: 'move'; readonly server: Server };

type Kind = RenameStep['kind'];

/** Users keep the old group until every server has moved, so that nobody loses a terminal on the way. */
export function renameSteps({ servers, users }: Group): RenameStep[] {
  return [
    ...users.map((user) => ({ kind: 'give', user }) as const),
    ...servers.map((server) => ({ kind: 'move', server }) as const),
    ...users.map((user) => ({ kind: 'take', user }) as const),
  ];
}

/** Steps of one kind may fail alone; those of the next kind need all of them. */
export function isBlocked(kind: Kind, failed: ReadonlySet<Kind>): boolean {
  if (kind === 'give') return false;
  return failed.has('give') || (kind === 'take' && failed.has('move'));
}

export function withGroup({ allowed_groups }: User, name: string): string[] {
  return [...new Set([...allowed_groups, name])];
}

/** Renames a group on all its servers and users. A name that is in use would join two groups, and is refused. */
export function createRename(
  group: Group,
  taken: readonly string[],
): { action: BulkAction<RenameStep>; nameOf: (step: RenameStep) => string } {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const failed = new Set<Kind>();

  async function setGroups(user: User, allowed_groups: string[]): Promise<void> {
    const params = { path: { user_id: user.id } };
    await client.http.PUT('/api/auth/users/{user_id}/groups', { params, body: { allowed_groups } });
  }
  async function act(step: RenameStep, name: string): Promise<void> {
    if (step.kind === 'move') {
      const params = { path: { id: step.server.id } };
      await client.http.PUT('/api/servers/{id}', { params, body: { group: name } });
      return;
    }
    const groups = withGroup(step.user, name);
    await setGroups(step.user, step.kind === 'give' ? groups : groups.filter((own) => own !== group.name));
  }
  const has_directory_users = group.users.some(({ source }) => source !== 'local');
  return {
    action: {
      ...{ id: 'rename_group', label: t('group_rename') },
      question: () => t('group_rename_title', { name: group.name }),
      text: [t('group_rename_text'), ...(has_directory_users ? [t('group_rename_directory')] : [])].join(' '),
      field: {
        label: t('group_new_name'),
        refuses: (name) => (taken.includes(name) ? t('group_name_taken', { name }) : undefined),
      },
      skips: ({ kind }) => (isBlocked(kind, failed) ? t('group_rename_skipped') : undefined),
      async run(step, name) {
        try {
          await act(step, name);
        } catch (error) {
          failed.add(step.kind);
          throw error;
        }
      },
      after: () =>
        Promise.all(
          [['servers'], usersQuery(client).queryKey].map((queryKey) =>
            queries.invalidateQueries({ queryKey }),
          ),
        ),
    },
    nameOf(step) {
      if (step.kind === 'move') return t('group_step_move', { name: step.server.name });
      const values = { user: step.user.username, name: group.name };
      return t(step.kind === 'give' ? 'group_step_give' : 'group_step_take', values);
    },
  };
}
