import type { Scope } from '#core/model/accounts/api-key.ts';
import type { UserRow } from '#core/model/accounts/user.ts';
import type { StoredEmbed } from '#core/model/embed.ts';
import type { AnyColumn, Kit } from '../kit/sqlite.ts';

export function defineIdentity(kit: Kit) {
  const users = defineUsers(kit);
  const ofUser = referenceTo(kit, users);

  const api_keys = defineApiKeys(kit, ofUser);
  const sessions = defineSessions(kit, ofUser, api_keys);

  const pending_sign_ins = kit.table(
    'pending_sign_ins',
    {
      id: kit.text().primaryKey(),
      user_id: ofUser(),
      tries: kit.int().notNull(),
      expires_at: kit.instant().notNull(),
    },
    (row) => [
      kit.index('pending_sign_ins_user_id').on(row.user_id),
      kit.index('pending_sign_ins_expires_at').on(row.expires_at),
    ],
  );

  return {
    users,
    api_keys,
    sessions,
    pending_sign_ins,
    lockouts: defineLockouts(kit),
  };
}

type Users = ReturnType<typeof defineUsers>;

function referenceTo(kit: Kit, users: Users) {
  return () =>
    kit
      .int()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' });
}

function defineUsers(kit: Kit) {
  return kit.table(
    'users',
    {
      id: kit.id(),
      username: kit.text().notNull(),
      // Lower-cased in JavaScript, because the databases disagree on lower case outside ASCII.
      username_key: kit.text().notNull(),
      // True or null, never false, so that the unique index allows only one such row.
      is_default_admin: kit.bool(),
      is_admin: kit.bool().notNull(),
      must_change_password: kit.bool().notNull(),
      totp_enabled: kit.bool().notNull(),
      totp_secret_sealed: kit.text(),
      totp_last_step: kit.int(),
      recovery_digests: kit.strings(),
      allowed_groups: kit.strings().notNull(),
      source: kit.text().$type<UserRow['source']>().notNull(),
      // Identifies the directory entry of an `ldap` account, because user names can be reassigned.
      directory_id: kit.text(),
      password_hash: kit.text(),
      disabled: kit.bool().notNull(),
      created_at: kit.instant().notNull(),
      last_sign_in_at: kit.instant(),
    },
    (row) => [
      kit.uniqueIndex('users_username_key').on(row.username_key),
      kit.uniqueIndex('users_is_default_admin').on(row.is_default_admin),
      kit.uniqueIndex('users_directory_id').on(row.directory_id),
    ],
  );
}

function defineSessions(
  kit: Kit,
  user_id: ReturnType<typeof referenceTo>,
  api_keys: ReturnType<typeof defineApiKeys>,
) {
  const sessions = kit.table(
    'sessions',
    {
      id: kit.text().primaryKey(),
      user_id: user_id(),
      created_at: kit.instant().notNull(),
      last_seen_at: kit.instant().notNull(),
      expires_at: kit.instant().notNull(),
      fresh_until: kit.instant(),
      ip_address: kit.text().notNull(),
      user_agent: kit.text().notNull(),
      embed: kit.json().$type<StoredEmbed>(),
      // Whatever ends the credential that minted an embedded session ends the session.
      minted_session_id: kit.text().references((): AnyColumn => sessions.id, { onDelete: 'cascade' }),
      minted_key_id: kit.int().references(() => api_keys.id, { onDelete: 'cascade' }),
    },
    (row) => [
      kit.index('sessions_user_id').on(row.user_id),
      kit.index('sessions_expires_at').on(row.expires_at),
      kit.index('sessions_minted_session_id').on(row.minted_session_id),
      kit.index('sessions_minted_key_id').on(row.minted_key_id),
    ],
  );
  return sessions;
}

function defineApiKeys(kit: Kit, user_id: ReturnType<typeof referenceTo>) {
  return kit.table(
    'api_keys',
    {
      id: kit.id(),
      user_id: user_id(),
      name: kit.text().notNull(),
      key_prefix: kit.text().notNull(),
      key_digest: kit.text().notNull(),
      scopes: kit.strings().$type<Scope[]>().notNull(),
      expires_at: kit.instant(),
      last_used_at: kit.instant(),
      created_at: kit.instant().notNull(),
    },
    (row) => [
      kit.index('api_keys_user_id').on(row.user_id),
      kit.index('api_keys_key_prefix').on(row.key_prefix),
      kit.uniqueIndex('api_keys_key_digest').on(row.key_digest),
    ],
  );
}

/** Keyed by name, because unknown names are locked like known ones. */
function defineLockouts(kit: Kit) {
  return kit.table(
    'lockouts',
    {
      username_key: kit.text().primaryKey(),
      failures: kit.int().notNull(),
      locked_until: kit.instant(),
      last_attempt_at: kit.instant().notNull(),
    },
    (row) => [kit.index('lockouts_last_attempt_at').on(row.last_attempt_at)],
  );
}
