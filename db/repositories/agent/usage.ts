import { and, eq, lt, sql } from 'drizzle-orm';
import type { AgentUsageRepository } from '#core/ports/repositories/agent-chats.ts';
import { orFault } from '../../query/or-fault.ts';
import type { Store } from '../../store.ts';

export function createAgentUsageRepository({ db, tables }: Store): AgentUsageRepository {
  const { agent_usage: usage } = tables;

  return {
    async tokens(user_id, day) {
      const found = and(eq(usage.user_id, user_id), eq(usage.day, day));
      const [row] = await db.select({ tokens: usage.tokens }).from(usage).where(found);
      return row?.tokens ?? 0;
    },

    async add(user_id, day, tokens) {
      const insertion = db
        .insert(usage)
        .values({ user_id, day, tokens })
        .onConflictDoUpdate({
          target: [usage.user_id, usage.day],
          set: { tokens: sql`${usage.tokens} + excluded.tokens` },
        });
      await orFault('invalid_token', insertion); // the user was deleted in the meantime
    },

    async removeOlder(day) {
      await db.delete(usage).where(lt(usage.day, day));
    },
  };
}
