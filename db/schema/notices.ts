import type { Topic } from '#core/ports/notices.ts';
import type { Extra, Extras } from './extras.ts';

/** The channel on which PostgreSQL sends notices of changes. */
export const CHANNEL = 'sallyport';

/**
 * A trigger that sends a notice, so that changes by an older version and by hand are noticed, too, and a change that is
 * rolled back is not. A notice is sent once per transaction and topic, and only names the topic.
 */
function notice(table: string, topic: Topic, events: string, each = 'for each statement'): Extra {
  const name = `${table}_notice`;
  return {
    name,
    statements: [
      // Two instances that start at once must not replace the function at the same time.
      `select pg_advisory_xact_lock(hashtext('${CHANNEL}_notice'))`,
      `create or replace function ${CHANNEL}_notice() returns trigger language plpgsql as
        $$ begin perform pg_notify('${CHANNEL}', tg_argv[0]); return null; end $$`,
      `create trigger ${name} after ${events} on ${table}
        ${each} execute function ${CHANNEL}_notice('${topic}')`,
    ],
  };
}

const ANY_CHANGE = 'insert or update or delete';

/** By table. What changes often and matters to nobody, such as the time of the last request, sends none. */
export const NOTICES: Extras = {
  users: [
    notice(
      'users',
      'rights',
      'delete or update of is_admin, must_change_password, allowed_groups, password_hash, disabled',
    ),
  ],
  sessions: [notice('sessions', 'rights', 'delete or update of expires_at')],
  api_keys: [notice('api_keys', 'rights', 'delete or update of scopes, expires_at')],
  servers: [
    notice('servers', 'rights', 'delete or update of "group", ssh_enabled, sftp_enabled, updated_at'),
  ],
  monitor_lease: [notice('monitor_lease', 'monitor', 'delete')], // the leader has stopped
  settings: [notice('settings', 'settings', ANY_CHANGE)],
  branding: [notice('branding', 'settings', ANY_CHANGE)],
  branding_images: [notice('branding_images', 'settings', ANY_CHANGE)],
  // By row: an event without a webhook runs a statement that inserts none.
  webhook_deliveries: [
    notice(
      'webhook_deliveries',
      'deliveries',
      'insert or update of leased_until',
      'for each row when (new.next_attempt_at is not null and new.leased_until is null)',
    ),
  ],
  server_status_head: [notice('server_status_head', 'statuses', 'insert or update')],
};
