import type { AgentMessageRow } from '#core/model/agent.ts';
import type { Kit } from '../kit/sqlite.ts';
import type { defineIdentity } from './identity.ts';
import type { defineInventory } from './inventory.ts';

type Referenced = Pick<ReturnType<typeof defineIdentity>, 'users'> &
  Pick<ReturnType<typeof defineInventory>, 'servers'>;

export function defineAgent(kit: Kit, { users, servers }: Referenced) {
  /** A single row with id 1. */
  const agent_settings = kit.table('agent_settings', {
    id: kit.int().primaryKey(),
    config_sealed: kit.text(),
  });

  const agent_messages = kit.table(
    'agent_messages',
    {
      id: kit.id(),
      user_id: kit
        .int()
        .notNull()
        .references(() => users.id, { onDelete: 'cascade' }),
      server_id: kit
        .int()
        .notNull()
        .references(() => servers.id, { onDelete: 'cascade' }),
      role: kit.text().$type<AgentMessageRow['role']>().notNull(),
      state: kit.text().$type<AgentMessageRow['state']>().notNull(),
      content_sealed: kit.text().notNull(),
      run_id: kit.text(),
      is_cancelled: kit.bool().notNull().default(false),
      created_at: kit.instant().notNull(),
      updated_at: kit.instant().notNull(),
    },
    (row) => [
      kit.index('agent_messages_chat').on(row.user_id, row.server_id, row.id),
      kit.index('agent_messages_updated_at').on(row.updated_at),
    ],
  );

  const agent_usage = kit.table(
    'agent_usage',
    {
      id: kit.id(),
      user_id: kit
        .int()
        .notNull()
        .references(() => users.id, { onDelete: 'cascade' }),
      /** Midnight in UTC. */
      day: kit.instant().notNull(),
      tokens: kit.long().notNull(),
    },
    (row) => [kit.uniqueIndex('agent_usage_user_day').on(row.user_id, row.day)],
  );

  return { agent_settings, agent_messages, agent_usage };
}
