import { and, eq, gt, lte } from 'drizzle-orm';
import type { TicketRepository } from '#core/ports/repositories.ts';
import type { Store } from '../store.ts';
import { orFault } from './or-fault.ts';

export function createTicketRepository({ db, tables: { tickets } }: Store): TicketRepository {
  const unexpired = (digest: string, now: string) =>
    and(eq(tickets.digest, digest), gt(tickets.expires_at, now));

  return {
    async insert(row) {
      await orFault('invalid_token', db.insert(tickets).values(row)); // its only foreign key is the session
    },

    async take(digest, now) {
      const [taken] = await db.delete(tickets).where(unexpired(digest, now)).returning();
      return taken;
    },

    async find(digest, now) {
      const [found] = await db.select().from(tickets).where(unexpired(digest, now));
      return found;
    },

    async removeExpired(now) {
      await db.delete(tickets).where(lte(tickets.expires_at, now));
    },
  };
}
