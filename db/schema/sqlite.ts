import { sqliteKit } from '../kit/sqlite.ts';
import { defineSchema } from './schema.ts';

/** One export for each table, as drizzle-kit wants them. */
export const { schema_migrations, rate_limits, users, sessions, tickets, servers } = defineSchema(sqliteKit);
