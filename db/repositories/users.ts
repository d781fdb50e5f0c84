import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { NewUserRow, UserRepository } from '#core/ports/repositories.ts';
import type { Tables } from '../schema/schema.ts';
import type { Store } from '../store.ts';
import { onlyRow } from './rows.ts';

export function createUserRepository({ db, tables: { users } }: Store): UserRepository {
  const columns = userColumns(users);

  return {
    async byName(username) {
      const [row] = await db
        .select(columns)
        .from(users)
        .where(eq(users.username_key, toUsernameKey(username)));
      return row;
    },

    async byId(id) {
      const [row] = await db.select(columns).from(users).where(eq(users.id, id));
      return row;
    },

    async insertFirst(row: NewUserRow) {
      // A key that somebody has makes the insert conflict. Of two inserts into the empty table, neither sees
      // the other's row: there the unique `is_default_admin` decides.
      const key = sql.param(toUsernameKey(row.username), users.username_key);
      const username_key = sql`coalesce((select min(${users.username_key}) from ${users}), ${key})`;
      const [inserted] = await db
        .insert(users)
        .values({ ...row, username_key, is_default_admin: true })
        .onConflictDoNothing()
        .returning(columns);
      return inserted;
    },

    async setPassword(id, password_hash, must_change_password) {
      const change = { password_hash, must_change_password };
      return onlyRow(await db.update(users).set(change).where(eq(users.id, id)).returning(columns));
    },
  };
}

/** What `UserRow` knows; the rest serves the database only. */
export function userColumns(users: Tables['users']) {
  const { username_key, is_default_admin, ...columns } = getTableColumns(users);
  return columns;
}

function toUsernameKey(username: string): string {
  return username.toLowerCase();
}
