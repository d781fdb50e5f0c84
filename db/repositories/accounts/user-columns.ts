import { getTableColumns, sql } from 'drizzle-orm';
import type { Tables } from '../../schema/schema.ts';

/** The columns of `UserRow`; the table has further internal ones. */
export function userColumns(users: Tables['users']) {
  const { username_key, directory_id, last_sign_in_at, ...others } = getTableColumns(users);
  const { totp_secret_sealed, totp_last_step, recovery_digests, ...columns } = others;
  const is_default_admin = sql<boolean>`${users.is_default_admin} is not null`.mapWith(Boolean);
  return { ...columns, is_default_admin };
}
