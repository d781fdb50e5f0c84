import type { Kit } from '../kit/sqlite.ts';
import type { defineInventory } from './inventory.ts';

export function defineTransfers(kit: Kit, { servers }: Pick<ReturnType<typeof defineInventory>, 'servers'>) {
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
    },
    (row) => [kit.index('holds_expires_at').on(row.expires_at)],
  );

  return { uploads, holds };
}
