import type { Kit } from '../kit/sqlite.ts';
import type { defineIdentity } from './identity.ts';

type Identity = Pick<ReturnType<typeof defineIdentity>, 'users'>;

export function defineTerminals(kit: Kit, { users }: Identity) {
  const instances = kit.table(
    'instances',
    {
      run_id: kit.text().primaryKey(),
      instance_id: kit.text().notNull(),
      url: kit.text().notNull(),
      machine: kit.text().notNull(),
      proof: kit.text().notNull(),
      clock_skew_ms: kit.int(),
      recordings_directory_id: kit.text(),
      version: kit.text(),
      expires_at: kit.instant().notNull(),
    },
    (row) => [kit.index('instances_expires_at').on(row.expires_at)],
  );

  const quick_host_keys = kit.table(
    'quick_host_keys',
    {
      id: kit.id(),
      user_id: kit
        .int()
        .notNull()
        .references(() => users.id, { onDelete: 'cascade' }),
      hostname: kit.text().notNull(),
      port: kit.int().notNull(),
      host_key: kit.text().notNull(),
      fingerprint: kit.text().notNull(),
      created_at: kit.instant().notNull(),
    },
    (row) => [kit.uniqueIndex('quick_host_keys_address').on(row.user_id, row.hostname, row.port)],
  );

  return { instances, terminal_sessions: defineSessions(kit), quick_host_keys };
}

// No foreign keys: a row describes what an instance holds and is removed by that instance.
function defineSessions(kit: Kit) {
  return kit.table(
    'terminal_sessions',
    {
      id: kit.text().primaryKey(),
      run_id: kit.text().notNull(),
      user_id: kit.int().notNull(),
      username: kit.text().notNull(),
      server_id: kit.int(),
      server_name: kit.text().notNull(),
      started_at: kit.instant(),
      last_activity: kit.instant().notNull(),
      participants: kit.int().notNull(),
      recording: kit.bool().notNull(),
      share_digest: kit.text(),
      over: kit.bool().notNull(),
      kept_ms: kit.int(),
      kept_until: kit.instant(),
    },
    (row) => [
      kit.index('terminal_sessions_user_id').on(row.user_id),
      kit.index('terminal_sessions_run_id').on(row.run_id),
      kit.uniqueIndex('terminal_sessions_share_digest').on(row.share_digest),
    ],
  );
}
