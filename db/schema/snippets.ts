import type { Kit } from '../kit/sqlite.ts';
import type { defineIdentity } from './identity.ts';

export function defineSnippets(kit: Kit, { users }: Pick<ReturnType<typeof defineIdentity>, 'users'>) {
  const snippets = kit.table(
    'snippets',
    {
      id: kit.id(),
      user_id: kit
        .int()
        .notNull()
        .references(() => users.id, { onDelete: 'cascade' }),
      name: kit.text().notNull(),
      command: kit.text().notNull(),
      description: kit.text().notNull(),
      shared: kit.bool().notNull(),
      confirm: kit.bool().notNull(),
      created_at: kit.instant().notNull(),
    },
    (row) => [kit.index('snippets_user_id').on(row.user_id), kit.index('snippets_shared').on(row.shared)],
  );
  return { snippets };
}
