import type { Kit } from '../kit/sqlite.ts';

export function defineSystem(kit: Kit) {
  /** A log without a unique key: a change that was undone by hand is applied and logged again. */
  const schema_migrations = kit.table('schema_migrations', {
    id: kit.id(),
    change: kit.text().notNull(),
    applied_at: kit.instant().notNull(),
  });

  const rate_limits = kit.table(
    'rate_limits',
    {
      key: kit.text().primaryKey(),
      count: kit.int().notNull(),
      window_ends_at: kit.instant().notNull(),
    },
    (row) => [kit.index('rate_limits_window_ends_at').on(row.window_ends_at)],
  );

  /** At most one row, with id 1. */
  const monitor_lease = kit.table('monitor_lease', {
    id: kit.int().primaryKey(),
    run_id: kit.text().notNull(),
    instance_id: kit.text().notNull(),
    expires_at: kit.instant().notNull(),
  });

  /**
   * Has no rows. A database without this table was last used by a version that bound secrets to their column only. They
   * are bound to their rows before the table is created; from then on their old form is refused.
   */
  const bound_secrets = kit.table('bound_secrets', { id: kit.id() });

  /** At most one row, with id 1: the format of what is stored, and the version that has brought it. */
  const database_format = kit.table('database_format', {
    id: kit.int().primaryKey(),
    format: kit.int().notNull(),
    version: kit.text().notNull(),
  });

  return { schema_migrations, rate_limits, monitor_lease, bound_secrets, database_format };
}
