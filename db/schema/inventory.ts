import type { AlgorithmSet, AnnouncedHostKey, ServerRow } from '#core/model/hosts/server.ts';
import type { ServerState } from '#core/model/hosts/server-status.ts';
import type { AnyColumn, Kit } from '../kit/sqlite.ts';

export function defineInventory(kit: Kit) {
  const servers = defineServers(kit);
  const revoked_host_keys = kit.table(
    'revoked_host_keys',
    {
      id: kit.id(),
      names: kit.text().notNull(),
      host_key: kit.text().notNull(),
      fingerprint: kit.text().notNull(),
      digest: kit.text().notNull(),
      created_at: kit.instant().notNull(),
    },
    (row) => [
      kit.index('revoked_host_keys_fingerprint').on(row.fingerprint),
      kit.uniqueIndex('revoked_host_keys_digest').on(row.digest),
    ],
  );
  return { servers, revoked_host_keys, ...defineStatuses(kit, servers) };
}

type Servers = ReturnType<typeof defineServers>;

function defineServers(kit: Kit) {
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
      algorithms: kit.text().$type<AlgorithmSet>().notNull().default('default'),
      terminal_type: kit.text().notNull().default('xterm-256color'),
      terminal_encoding: kit.text().notNull().default('utf-8'),
      record_sessions: kit.bool(),
      agent_enabled: kit.bool().notNull().default(false),
      password_sealed: kit.text(),
      private_key_sealed: kit.text(),
      passphrase_sealed: kit.text(),
      host_key: kit.text(),
      host_key_fingerprint: kit.text().notNull(),
      announced_host_keys: kit.json().$type<readonly AnnouncedHostKey[]>().notNull().default([]),
      // Facts about the last connection.
      key_exchange: kit.text(),
      server_version: kit.text(),
      last_connected_at: kit.instant(),
      created_at: kit.instant().notNull(),
      updated_at: kit.instant().notNull(),
      // Links the rows of one import.
      import_ref: kit.text(),
    },
    (row) => [
      kit.index('servers_group').on(row.group),
      kit.index('servers_jump_via_id').on(row.jump_via_id),
      kit.uniqueIndex('servers_import_ref').on(row.import_ref),
    ],
  );
  return servers;
}

function defineStatuses(kit: Kit, servers: Servers) {
  const server_statuses = kit.table(
    'server_statuses',
    {
      server_id: kit
        .int()
        .primaryKey()
        .references(() => servers.id, { onDelete: 'cascade' }),
      status: kit.text().$type<ServerState>().notNull(),
      last_checked: kit.instant(),
      offline_since: kit.instant(),
      latency_ms: kit.float(),
      error: kit.text(),
      error_code: kit.text(),
      host_key_verified: kit.bool(),
      refused_at: kit.instant(),
      refused_as: kit.text(),
      refused_error: kit.text(),
      // Consecutive failures, and whether webhooks were notified that the server is offline.
      failures: kit.int().notNull().default(0),
      told_offline: kit.bool().notNull().default(false),
      revision: kit.int().notNull(),
    },
    (row) => [kit.index('server_statuses_revision').on(row.revision)],
  );

  /** A single row with id 1: the latest revision, which survives the removal of its server. */
  const server_status_head = kit.table('server_status_head', {
    id: kit.int().primaryKey(),
    revision: kit.int().notNull(),
  });

  return { server_statuses, server_status_head };
}
