import { and, eq, gt, lte } from 'drizzle-orm';
import type { Credential } from '#core/model/caller.ts';
import type { TicketRow } from '#core/model/ticket.ts';
import type { TicketRepository } from '#core/ports/repositories/accounts.ts';
import { orFault } from '../../query/or-fault.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

type Twin = Tables['tickets'] | Tables['api_key_tickets'];

/** Each kind of credential has its own ticket table; a digest does not tell which one. */
export function createTicketRepository(store: Store): TicketRepository {
  const { db, batch } = store;
  const { tickets, api_key_tickets } = store.tables;

  return {
    async insert({ credential, ...ticket }) {
      const inserted =
        credential.kind === 'session'
          ? db.insert(tickets).values({ ...ticket, session_id: credential.id })
          : db.insert(api_key_tickets).values({ ...ticket, api_key_id: credential.id });
      await orFault('invalid_token', inserted); // the only foreign key is the credential
    },

    async take(digest, now) {
      const [row] = await db
        .delete(tickets)
        .where(unexpired(tickets, digest, now))
        .returning();
      if (row) return ofSession(row);
      const twin = db.delete(api_key_tickets).where(unexpired(api_key_tickets, digest, now));
      const [other] = await twin.returning();
      return other && ofApiKey(other);
    },

    async find(digest, now) {
      const [row] = await db
        .select()
        .from(tickets)
        .where(unexpired(tickets, digest, now));
      if (row) return ofSession(row);
      const twin = db.select().from(api_key_tickets);
      const [other] = await twin.where(unexpired(api_key_tickets, digest, now));
      return other && ofApiKey(other);
    },

    removeExpired: (now) =>
      batch((on) =>
        [tickets, api_key_tickets].map((twin) => on.delete(twin).where(lte(twin.expires_at, now))),
      ),
  };
}

function unexpired(twin: Twin, digest: string, now: string) {
  return and(eq(twin.digest, digest), gt(twin.expires_at, now));
}

function ofSession({ session_id, ...row }: Tables['tickets']['$inferSelect']): TicketRow {
  return toTicket(row, { kind: 'session', id: session_id });
}

function ofApiKey({ api_key_id, ...row }: Tables['api_key_tickets']['$inferSelect']): TicketRow {
  return toTicket(row, { kind: 'api_key', id: api_key_id });
}

function toTicket(row: Omit<TicketRow, 'credential'>, credential: Credential): TicketRow {
  return { ...row, credential };
}
