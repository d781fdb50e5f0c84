import { and, eq, gt, lte } from 'drizzle-orm';
import { byKind, type CredentialKind, type CredentialOf } from '#core/model/caller.ts';
import type { TicketRow } from '#core/model/ticket.ts';
import type { TicketRepository } from '#core/ports/repositories/accounts.ts';
import { orFault } from '../../query/or-fault.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

type Table = Tables['tickets'] | Tables['api_key_tickets'];
type Ticket = Omit<TicketRow, 'credential'>;

/** The tickets of one kind of credential. */
interface Tray<K extends CredentialKind> {
  readonly table: Table;
  insert(ticket: Ticket, credential: CredentialOf<K>): PromiseLike<unknown>;
  take(digest: string, now: string): Promise<TicketRow | undefined>;
  find(digest: string, now: string): Promise<TicketRow | undefined>;
}

type Trays = { readonly [K in CredentialKind]: Tray<K> };

/** Each kind of credential has its own ticket table; a digest does not tell which one. */
export function createTicketRepository(store: Store): TicketRepository {
  const trays: Trays = { session: sessionTray(store), api_key: keyTray(store) };
  const all = Object.values(trays);

  async function firstOf(look: (tray: (typeof all)[number]) => Promise<TicketRow | undefined>) {
    for (const tray of all) {
      const found = await look(tray);
      if (found) return found;
    }
    return undefined;
  }

  return {
    async insert({ credential, ...ticket }) {
      const inserted = byKind(credential, {
        session: (session) => trays.session.insert(ticket, session),
        api_key: (key) => trays.api_key.insert(ticket, key),
      });
      await orFault('invalid_token', inserted); // the only foreign key is the credential
    },

    take: (digest, now) => firstOf((tray) => tray.take(digest, now)),

    find: (digest, now) => firstOf((tray) => tray.find(digest, now)),

    removeExpired: (now) =>
      store.batch((on) => all.map(({ table }) => on.delete(table).where(lte(table.expires_at, now)))),
  };
}

function sessionTray({ db, tables: { tickets } }: Store): Tray<'session'> {
  const toTicket = ({ session_id, ...row }: Tables['tickets']['$inferSelect']): TicketRow => ({
    ...row,
    credential: { kind: 'session', id: session_id },
  });
  return {
    table: tickets,
    insert: (ticket, { id }) => db.insert(tickets).values({ ...ticket, session_id: id }),
    async take(digest, now) {
      const [row] = await db
        .delete(tickets)
        .where(unexpired(tickets, digest, now))
        .returning();
      return row && toTicket(row);
    },
    async find(digest, now) {
      const [row] = await db
        .select()
        .from(tickets)
        .where(unexpired(tickets, digest, now));
      return row && toTicket(row);
    },
  };
}

function keyTray({ db, tables: { api_key_tickets: tickets } }: Store): Tray<'api_key'> {
  const toTicket = ({ api_key_id, ...row }: Tables['api_key_tickets']['$inferSelect']): TicketRow => ({
    ...row,
    credential: { kind: 'api_key', id: api_key_id },
  });
  return {
    table: tickets,
    insert: (ticket, { id }) => db.insert(tickets).values({ ...ticket, api_key_id: id }),
    async take(digest, now) {
      const [row] = await db
        .delete(tickets)
        .where(unexpired(tickets, digest, now))
        .returning();
      return row && toTicket(row);
    },
    async find(digest, now) {
      const [row] = await db
        .select()
        .from(tickets)
        .where(unexpired(tickets, digest, now));
      return row && toTicket(row);
    },
  };
}

function unexpired(table: Table, digest: string, now: string) {
  return and(eq(table.digest, digest), gt(table.expires_at, now));
}
