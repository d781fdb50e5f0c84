import type { Kit } from '../kit/sqlite.ts';
import type { defineInventory } from './inventory.ts';

type Servers = ReturnType<typeof defineInventory>['servers'];

export function defineTransfers(kit: Kit, { servers }: { readonly servers: Servers }) {
  const uploads = kit.table(
    'uploads',
    {
      id: kit.text().primaryKey(),
      // No foreign key: uploads of a deleted user are cleaned up like any other.
      user_id: kit.int().notNull(),
      server_id: kit
        .int()
        .notNull()
        .references(() => servers.id, { onDelete: 'cascade' }),
      part_path: kit.text().notNull(),
      target_path: kit.text().notNull(),
      shown_path: kit.text().notNull(),
      length: kit.long(),
      overwrite: kit.bool().notNull(),
      metadata: kit.text().notNull().default(''),
      // Being cleaned up; cannot be resumed.
      abandoned: kit.bool().notNull(),
      created_at: kit.instant().notNull(),
      expires_at: kit.instant().notNull(),
    },
    (row) => [
      kit.index('uploads_user_id').on(row.user_id),
      kit.index('uploads_server_id').on(row.server_id),
      kit.index('uploads_expires_at').on(row.expires_at),
    ],
  );

  const holds = kit.table(
    'holds',
    {
      key: kit.text().primaryKey(),
      holder: kit.text().notNull(),
      expires_at: kit.instant().notNull(),
      // Set when its holder shall let go: it is not renewed any more.
      claimed_at: kit.instant(),
    },
    (row) => [kit.index('holds_expires_at').on(row.expires_at)],
  );

  return {
    uploads,
    finished_uploads: defineFinishedUploads(kit, servers),
    holds,
    ...definePartRemovals(kit),
  };
}

/** Answers clients that lost the last response, on every instance. */
function defineFinishedUploads(kit: Kit, servers: Servers) {
  return kit.table(
    'finished_uploads',
    {
      id: kit.text().primaryKey(),
      user_id: kit.int().notNull(),
      server_id: kit
        .int()
        .notNull()
        .references(() => servers.id, { onDelete: 'cascade' }),
      part_path: kit.text().notNull(),
      target_path: kit.text().notNull(),
      shown_path: kit.text().notNull(),
      length: kit.long(),
      overwrite: kit.bool().notNull(),
      metadata: kit.text().notNull().default(''),
      created_at: kit.instant().notNull(),
      expires_at: kit.instant().notNull(),
      kept_until: kit.instant().notNull(),
    },
    (row) => [
      kit.index('finished_uploads_server_id').on(row.server_id),
      kit.index('finished_uploads_kept_until').on(row.kept_until),
    ],
  );
}

/** No foreign key to servers: these rows begin when the server is deleted. */
function definePartRemovals(kit: Kit) {
  const part_removals = kit.table(
    'part_removals',
    {
      server_id: kit.int().primaryKey(),
      server_name: kit.text().notNull(),
      connection_sealed: kit.text().notNull(),
      failures: kit.int().notNull(),
      created_at: kit.instant().notNull(),
      next_at: kit.instant().notNull(),
    },
    (row) => [kit.index('part_removals_next_at').on(row.next_at)],
  );

  const left_parts = kit.table(
    'left_parts',
    {
      id: kit.text().primaryKey(),
      server_id: kit
        .int()
        .notNull()
        .references(() => part_removals.server_id, { onDelete: 'cascade' }),
      part_path: kit.text().notNull(),
    },
    (row) => [kit.index('left_parts_server_id').on(row.server_id)],
  );

  return { part_removals, left_parts };
}
