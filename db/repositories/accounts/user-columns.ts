import { getTableColumns, sql } from 'drizzle-orm';
import type { Tables } from '../../schema/schema.ts';

/** The columns of `UserRow`; the table has further internal ones. */
export function userColumns(users: Tables['users']) {
  const { username_key, directory_id, totp_secret_sealed, totp_last_step, recovery_digests, ...columns } =
    getTableColumns(users);
  const is_default_admin = sql<boolean>`${users.is_default_admin} is not null`.mapWith(Boolean);
  return { ...columns, is_default_admin };
}
