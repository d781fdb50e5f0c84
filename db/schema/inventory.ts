import type { ServerRow } from '#core/model/server.ts';
import type { AnyColumn, Kit } from '../kit/sqlite.ts';

export function defineInventory(kit: Kit) {
  const servers = kit.table(
    'servers',
    {
      id: kit.id(),
      name: kit.text().notNull(),
      hostname: kit.text().notNull(),
      port: kit.int().notNull(),
      username: kit.text().notNull(),
      auth_method: kit.text().$type<ServerRow['auth_method']>().notNull(),
      group: kit.text().notNull(),
      tags: kit.strings().notNull(),
      description: kit.text().notNull(),
      // No cascade: a jump host in use cannot be removed.
      jump_via_id: kit.int().references((): AnyColumn => servers.id),
      ssh_enabled: kit.bool().notNull(),
      sftp_enabled: kit.bool().notNull(),
      sftp_read_only: kit.bool().notNull(),
      sftp_allowed_paths: kit.strings().notNull(),
      password_sealed: kit.text(),
      private_key_sealed: kit.text(),
      passphrase_sealed: kit.text(),
      host_key: kit.text(),
      host_key_fingerprint: kit.text().notNull(),
      last_connected_at: kit.instant(),
      created_at: kit.instant().notNull(),
      updated_at: kit.instant().notNull(),
    },
    (row) => [kit.index('servers_group').on(row.group), kit.index('servers_jump_via_id').on(row.jump_via_id)],
  );

  return { servers };
}
