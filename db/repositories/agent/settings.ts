import { and, eq, isNull } from 'drizzle-orm';
import type { AgentSettingsRepository } from '#core/ports/repositories/agent.ts';
import type { Store } from '../../store.ts';

const ROW = 1; // at most one row

export function createAgentSettingsRepository({ db, tables }: Store): AgentSettingsRepository {
  const { agent_settings } = tables;
  const { id, config_sealed } = agent_settings;
  return {
    async get() {
      const [row] = await db.select({ config_sealed }).from(agent_settings).where(eq(id, ROW));
      return row?.config_sealed ?? null;
    },

    async save(sealed, expected) {
      const set = { config_sealed: sealed };
      const held = and(eq(id, ROW), eq(config_sealed, expected ?? ''));
      const saved =
        expected === null
          ? await db
              .insert(agent_settings)
              .values({ id: ROW, ...set })
              .onConflictDoUpdate({ target: id, set, setWhere: isNull(config_sealed) })
              .returning({ id })
          : await db.update(agent_settings).set(set).where(held).returning({ id });
      return saved.length > 0;
    },
  };
}
