import { z } from 'zod';
import { Id, Instant, line } from './fields.ts';

export const Group = line(0, 100);
export const UserSource = z.enum(['local', 'ldap', 'oidc']);

export const User = z
  .object({
    id: Id,
    username: z.string(),
    is_admin: z.boolean(),
    must_change_password: z.boolean(),
    totp_enabled: z.boolean(),
    allowed_groups: z.array(z.string()),
    source: UserSource,
    created_at: Instant,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

/** A user as the database keeps it; the rest never leaves `core`. */
export interface UserRow extends User {
  readonly password_hash: string | null;
  readonly disabled: boolean;
}

export const Login = z
  .object({
    // Lengths only bound the work; an unfit name is simply an unknown one.
    username: z.string().max(1024),
    password: z.string().max(1024),
  })
  .meta({ id: 'Login' });
export type Login = z.infer<typeof Login>;

export const LoginResult = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    requires_2fa: z.boolean(),
  })
  .meta({ id: 'LoginResult' });
export type LoginResult = z.infer<typeof LoginResult>;

export const PasswordChange = z
  .object({ new_password: z.string().max(1024), current_password: z.string().max(1024).optional() })
  .meta({ id: 'PasswordChange' });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** What a client may see, field by field, so that a new column never leaks by default. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    is_admin: row.is_admin,
    must_change_password: row.must_change_password,
    totp_enabled: row.totp_enabled,
    allowed_groups: row.allowed_groups,
    source: row.source,
    created_at: row.created_at,
  };
}
