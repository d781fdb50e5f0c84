import { and, eq, gt, lte } from 'drizzle-orm';
import { byKind, type Credential, type CredentialKind } from '#core/model/accounts/caller.ts';
import type { TicketRow } from '#core/model/accounts/ticket.ts';
import type { TicketRepository } from '#core/ports/repositories/accounts.ts';
import { orFault } from '../../query/or-fault.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';
import { readPayload, toPacked } from './packed-tickets.ts';

type Table = Tables['tickets'] | Tables['api_key_tickets'];
type Stored = Table['$inferSelect'];

/** Each kind of credential has its own ticket table; a digest does not tell which one. */
export function createTicketRepository({ db, tables, batch }: Store): TicketRepository {
  const table_of = { session: tables.tickets, api_key: tables.api_key_tickets } satisfies Record<
    CredentialKind,
    Table
  >;
  const all: readonly Table[] = Object.values(table_of);

  async function first(ask: (table: Table) => PromiseLike<Stored[]>): Promise<TicketRow | undefined> {
    for (const table of all) {
      const [stored] = await ask(table);
      if (stored) return toTicket(stored);
    }
    return undefined;
  }

  return {
    async insert({ credential, payload, ...ticket }) {
      const { purpose, ...fields } = payload;
      const row = { ...ticket, purpose, payload: fields, ...toPacked(payload) };
      const inserted = byKind<PromiseLike<unknown>>(credential, {
        session: ({ id }) => db.insert(table_of.session).values({ ...row, session_id: id }),
        api_key: ({ id }) => db.insert(table_of.api_key).values({ ...row, api_key_id: id }),
      });
      await orFault('invalid_token', inserted); // the only foreign key is the credential
    },

    take: (digest, now) =>
      first((table) =>
        db
          .delete(table)
          .where(unexpired(table, digest, now))
          .returning(),
      ),

    find: (digest, now) =>
      first((table) =>
        db
          .select()
          .from(table)
          .where(unexpired(table, digest, now)),
      ),

    removeExpired: (now) =>
      batch((on) => all.map((table) => on.delete(table).where(lte(table.expires_at, now)))),
  };
}

function toTicket(stored: Stored): TicketRow | undefined {
  const payload = readPayload(stored);
  const { digest, expires_at } = stored;
  return payload && { digest, credential: credentialOf(stored), payload, expires_at };
}

function credentialOf(stored: Stored): Credential {
  return 'session_id' in stored
    ? { kind: 'session', id: stored.session_id }
    : { kind: 'api_key', id: stored.api_key_id };
}

function unexpired(table: Table, digest: string, now: string) {
  return and(eq(table.digest, digest), gt(table.expires_at, now));
}
