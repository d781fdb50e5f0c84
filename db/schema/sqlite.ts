import { sqliteKit } from '../kit/sqlite.ts';
import { defineSchema } from './schema.ts';

/** One export for each table, as drizzle-kit wants them. */
export const {
  schema_migrations,
  rate_limits,
  monitor_lease,
  users,
  sessions,
  pending_sign_ins,
  api_keys,
  lockouts,
  tickets,
  api_key_tickets,
  servers,
  server_statuses,
  server_status_head,
  uploads,
  holds,
  instances,
  terminal_sessions,
  quick_host_keys,
  recordings,
  snippets,
  audit_chains,
  audit_roll,
  audit_entries,
} = defineSchema(sqliteKit);
