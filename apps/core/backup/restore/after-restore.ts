import type { ActivityRegistry } from '../../activities/registry.ts';
import type { ActivityRights } from '../../activities/rights.ts';
import { isReachedDifferently } from '../../hosts/changes.ts';
import type { RefusedServers } from '../../hosts/known-hosts/refused-servers.ts';
import { uncheckedRow } from '../../model/hosts/server-status.ts';
import type { Files } from '../../ports/files.ts';
import type { BackupRows, RestorePlan } from '../../ports/repositories/backup.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { BrandingService } from '../../settings/branding.ts';
import type { Settings } from '../../settings/settings.ts';

interface Deps {
  readonly repositories: Pick<Repositories, 'server_statuses'>;
  readonly files: Pick<Files, 'drop'>;
  readonly activities: ActivityRegistry;
  readonly rights: ActivityRights;
  readonly settings: Pick<Settings, 'refresh'>;
  readonly branding: Pick<BrandingService, 'refresh'>;
  readonly refused_servers: RefusedServers;
}

/** Applies a restore to what this process holds in memory; other instances follow within seconds. */
export function createAfterRestore(deps: Deps) {
  const { repositories, files, activities, rights, settings, branding, refused_servers } = deps;
  return async (plan: RestorePlan, rows: BackupRows): Promise<void> => {
    const changed = new Set([...plan.servers.changed.map(({ id }) => id), ...plan.servers.removed]);
    for (const id of changed) files.drop(id);
    activities.endWhere(
      ({ server, live }) => server.id !== null && changed.has(server.id) && !live,
      'The server was changed while it was being connected to',
    );
    const ends = await Promise.allSettled([
      rights.recheckAll(),
      settings.refresh(),
      branding.refresh(),
      forgetStatuses(repositories, plan, rows),
      refused_servers.disconnect(new Set(plan.revoked_keys.added.map(({ host_key }) => host_key))),
    ]);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  };
}

/** Resets the status of servers that are now reached differently, but keeps the memory of refused credentials. */
export async function forgetStatuses(
  { server_statuses }: Pick<Repositories, 'server_statuses'>,
  { servers }: RestorePlan,
  rows: BackupRows,
): Promise<void> {
  const before = new Map(rows.servers.map((row) => [row.id, row]));
  const moved = servers.changed.filter((row) => {
    const old = before.get(row.id);
    return row.jump_via_added !== undefined || (old !== undefined && isReachedDifferently(old, row));
  });
  if (moved.length === 0) return;
  const known = new Map((await server_statuses.list('all')).map((row) => [row.server_id, row]));
  const fresh = moved.map(({ id }) => {
    const { refused_at, refused_as, refused_error, told_offline } = known.get(id) ?? uncheckedRow(id);
    return { ...uncheckedRow(id), refused_at, refused_as, refused_error, told_offline };
  });
  await server_statuses.save(fresh);
}
