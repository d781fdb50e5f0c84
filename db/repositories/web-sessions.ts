import { and, eq, getTableColumns, gt, lte, ne } from 'drizzle-orm';
import type { WebSessionRepository } from '#core/ports/repositories.ts';
import type { Store } from '../store.ts';
import { userColumns } from './users.ts';

export function createWebSessionRepository({ db, tables: { sessions, users } }: Store): WebSessionRepository {
  const columns = { session: getTableColumns(sessions), user: userColumns(users) };

  return {
    async insert(row) {
      await db.insert(sessions).values(row);
    },

    async active(id, now) {
      const [found] = await db
        .select(columns)
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.user_id))
        .where(and(eq(sessions.id, id), gt(sessions.expires_at, now), eq(users.disabled, false)));
      return found;
    },

    async touch(id, last_seen_at) {
      await db.update(sessions).set({ last_seen_at }).where(eq(sessions.id, id));
    },

    async remove(id) {
      await db.delete(sessions).where(eq(sessions.id, id));
    },

    async removeOthers(user_id, kept_id) {
      const others = and(eq(sessions.user_id, user_id), ne(sessions.id, kept_id));
      const removed = await db.delete(sessions).where(others).returning({ id: sessions.id });
      return removed.map(({ id }) => id);
    },

    async removeExpired(now) {
      await db.delete(sessions).where(lte(sessions.expires_at, now));
    },
  };
}
