import type { RecordingStatus } from '#core/model/recording.ts';
import type { Kit } from '../kit/sqlite.ts';
import type { defineInventory } from './inventory.ts';

/** Recordings outlive their users and servers. */
export function defineRecordings(kit: Kit, { servers }: Pick<ReturnType<typeof defineInventory>, 'servers'>) {
  const recordings = kit.table(
    'recordings',
    {
      id: kit.id(),
      run_id: kit.text().notNull(),
      directory_id: kit.text(),
      // No foreign key: user ids are never reused.
      user_id: kit.int().notNull(),
      username: kit.text().notNull(),
      username_key: kit.text().notNull(),
      server_id: kit.int().references(() => servers.id, { onDelete: 'set null' }),
      server_name: kit.text().notNull(),
      search_key: kit.text().notNull(),
      started_at: kit.instant().notNull(),
      ended_at: kit.instant(),
      duration_s: kit.float(),
      size_bytes: kit.long(),
      file_path: kit.text().notNull(),
      sha256: kit.text(),
      status: kit.text().$type<RecordingStatus>().notNull(),
      // Deleted while no instance could reach its file.
      removed_at: kit.instant(),
    },
    (row) => [
      kit.index('recordings_started_at').on(row.started_at),
      kit.index('recordings_user_id').on(row.user_id, row.started_at),
      kit.index('recordings_server_id').on(row.server_id, row.started_at),
      kit.index('recordings_username').on(row.username_key, row.started_at),
      kit.index('recordings_status').on(row.status),
    ],
  );
  return { recordings };
}
