import type { TicketPurpose } from '#core/model/accounts/ticket.ts';
import type { Kit } from '../kit/sqlite.ts';
import type { defineIdentity } from './identity.ts';

type Credentials = Pick<ReturnType<typeof defineIdentity>, 'sessions' | 'api_keys'>;

/** Two tables, because each references the credential whose removal deletes its tickets. */
export function defineTickets(kit: Kit, { sessions, api_keys }: Credentials) {
  const session_id = () =>
    kit
      .text()
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' });
  const tickets = kit.table('tickets', { ...columns(kit), session_id: session_id() }, (row) => [
    kit.index('tickets_session_id').on(row.session_id),
    kit.index('tickets_expires_at').on(row.expires_at),
  ]);

  const api_key_id = () =>
    kit
      .int()
      .notNull()
      .references(() => api_keys.id, { onDelete: 'cascade' });
  const api_key_tickets = kit.table(
    'api_key_tickets',
    { ...columns(kit), api_key_id: api_key_id() },
    (row) => [
      kit.index('api_key_tickets_api_key_id').on(row.api_key_id),
      kit.index('api_key_tickets_expires_at').on(row.expires_at),
    ],
  );

  return { tickets, api_key_tickets };
}

function columns(kit: Kit) {
  return {
    digest: kit.text().primaryKey(),
    purpose: kit.text().$type<TicketPurpose>().notNull(),
    // Server and path are what versions up to 0.7 have instead of the payload.
    server_id: kit.int(),
    path: kit.text(),
    payload: kit.json().$type<unknown>(),
    expires_at: kit.instant().notNull(),
  };
}
