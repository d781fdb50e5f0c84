import type { TicketRow } from '#core/model/ticket.ts';
import type { UserRow } from '#core/model/user.ts';
import type { Kit } from '../kit/sqlite.ts';

export function defineIdentity(kit: Kit) {
  const users = defineUsers(kit);
  const sessions = kit.table(
    'sessions',
    {
      id: kit.text().primaryKey(),
      user_id: kit
        .int()
        .notNull()
        .references(() => users.id, { onDelete: 'cascade' }),
      created_at: kit.instant().notNull(),
      last_seen_at: kit.instant().notNull(),
      expires_at: kit.instant().notNull(),
      ip_address: kit.text().notNull(),
      user_agent: kit.text().notNull(),
    },
    (row) => [
      kit.index('sessions_user_id').on(row.user_id),
      kit.index('sessions_expires_at').on(row.expires_at),
    ],
  );

  const tickets = kit.table(
    'tickets',
    {
      digest: kit.text().primaryKey(),
      purpose: kit.text().$type<TicketRow['purpose']>().notNull(),
      session_id: kit
        .text()
        .notNull()
        .references(() => sessions.id, { onDelete: 'cascade' }),
      server_id: kit.int(),
      path: kit.text(),
      expires_at: kit.instant().notNull(),
    },
    (row) => [
      kit.index('tickets_session_id').on(row.session_id),
      kit.index('tickets_expires_at').on(row.expires_at),
    ],
  );

  return { users, sessions, tickets };
}

function defineUsers(kit: Kit) {
  return kit.table(
    'users',
    {
      id: kit.id(),
      username: kit.text().notNull(),
      // Lower-cased by JavaScript: the databases disagree on what is lower case outside ASCII.
      username_key: kit.text().notNull(),
      // True or null, never false: the unique index then allows it to one row.
      is_default_admin: kit.bool(),
      is_admin: kit.bool().notNull(),
      must_change_password: kit.bool().notNull(),
      totp_enabled: kit.bool().notNull(),
      allowed_groups: kit.strings().notNull(),
      source: kit.text().$type<UserRow['source']>().notNull(),
      password_hash: kit.text(),
      disabled: kit.bool().notNull(),
      created_at: kit.instant().notNull(),
    },
    (row) => [
      kit.uniqueIndex('users_username_key').on(row.username_key),
      kit.uniqueIndex('users_is_default_admin').on(row.is_default_admin),
    ],
  );
}
