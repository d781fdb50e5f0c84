import { z } from 'zod';
import { fold, normalized } from '../../lib/text/fold.ts';
import { Id, Instant, line } from '../fields.ts';
import { UserSource } from './user-source.ts';

export const Group = line(0, 100);

export const User = z
  .object({
    id: Id,
    username: z.string(),
    is_admin: z.boolean(),
    must_change_password: z.boolean(),
    totp_enabled: z.boolean(),
    allowed_groups: z.array(z.string()),
    source: UserSource,
    disabled: z.boolean().describe('Cannot sign in; API keys and sessions do not work'),
    is_default_admin: z.boolean().describe('Cannot be deleted or demoted'),
    locked_until: Instant.nullable()
      .optional()
      .describe('In the list of users: when the lock after failed sign-ins expires'),
    last_sign_in_at: Instant.nullable()
      .optional()
      .describe('In the list of users: the last sign-in with a password; null before the first'),
    created_at: Instant,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

/** A user as stored; the extra fields never leave `core`. */
export interface UserRow extends Omit<User, 'locked_until' | 'last_sign_in_at'> {
  readonly password_hash: string | null;
}

/** Normalized to NFC, without invisible characters. */
export const Username = line(1, 150)
  .refine(
    (name) => !/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u.test(name),
    'Must contain printable characters only',
  )
  // Otherwise two look-alike names could be equal to a directory (RFC 4518).
  .refine(
    (name) => normalized(name, 'NFKC') === normalized(name) && !/ {2}/.test(name),
    'Must not contain compatibility characters (such as full-width letters) or two spaces in a row',
  )
  .transform((name) => normalized(name));

/** Equal for names that count as the same. Lower-cased here because databases differ outside ASCII. */
export function toUsernameKey(username: string): string {
  return fold(username);
}

// An empty group would match every server without a group.
const AllowedGroups = z
  .array(line(1, 100))
  .max(500)
  .transform((groups) => [...new Set(groups)])
  .describe('Server groups the user may reach');

const password = z.string().max(1024).describe('8 to 256 characters; not the username or a common password');

export const NewUser = z
  .strictObject({
    username: Username,
    password,
    allowed_groups: AllowedGroups.default([]),
    is_admin: z.boolean().default(false),
    must_change_password: z.boolean().default(false),
  })
  .meta({ id: 'NewUser' });
export type NewUser = z.infer<typeof NewUser>;

export const UserPatch = z
  .strictObject({
    is_admin: z.boolean(),
    must_change_password: z.boolean(),
    disabled: z.boolean(),
  })
  .partial()
  .meta({ id: 'UserPatch' });
export type UserPatch = z.infer<typeof UserPatch>;

export const GroupsInput = z.strictObject({ allowed_groups: AllowedGroups }).meta({ id: 'GroupsInput' });
export type GroupsInput = z.infer<typeof GroupsInput>;

export const PasswordReset = z
  .strictObject({
    username: z.string().max(1024).optional().describe('If present, must match the name of this user'),
    password,
    must_change_password: z.boolean().default(false),
  })
  .meta({ id: 'PasswordReset' });
export type PasswordReset = z.infer<typeof PasswordReset>;

export const Login = z
  .strictObject({
    // Only lengths are bounded; an invalid name is simply unknown.
    username: z.string().max(1024),
    password: z.string().max(1024),
    totp_code: z.string().max(64).optional().describe('Six digits or a recovery code'),
  })
  .meta({ id: 'Login' });
export type Login = z.infer<typeof Login>;

export const StepUpInput = z
  .strictObject({
    password: z.string().max(1024).optional().describe('The account’s password; a directory user’s own'),
    totp_code: z
      .string()
      .max(64)
      .optional()
      .describe('Six digits or a recovery code; required if two-factor is enabled'),
  })
  .meta({ id: 'StepUpInput' });
export type StepUpInput = z.infer<typeof StepUpInput>;

export const Fresh = z
  .object({ fresh_until: Instant.describe('When routes marked `x-fresh` refuse the session again') })
  .meta({ id: 'Fresh' });
export type Fresh = z.infer<typeof Fresh>;

export const LoginResult = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    requires_2fa: z.boolean(),
  })
  .meta({ id: 'LoginResult' });
export type LoginResult = z.infer<typeof LoginResult>;

export const PasswordChange = z
  .strictObject({
    new_password: password,
    current_password: z
      .string()
      .max(1024)
      .optional()
      .describe('Required unless the change is forced or the session is fresh; always checked'),
  })
  .meta({ id: 'PasswordChange' });
export type PasswordChange = z.infer<typeof PasswordChange>;

/** The name of an account in audit entries: names can be given again, ids cannot. */
export function userLabel({ id, username }: Pick<User, 'id' | 'username'>): string {
  return `${username} (#${id})`;
}

/** Picks every field by name, so that a new column never leaks. */
export function toUser(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    is_admin: row.is_admin,
    must_change_password: row.must_change_password,
    totp_enabled: row.totp_enabled,
    allowed_groups: row.allowed_groups,
    source: row.source,
    disabled: row.disabled,
    is_default_admin: row.is_default_admin,
    created_at: row.created_at,
  };
}
