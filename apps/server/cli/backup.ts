import { THE_GATEWAY } from '#core/audit/trail.ts';
import { exportDetail, recordRestore } from '#core/backup/backups.ts';
import { BACKUP_COST } from '#core/backup/pack/bundle.ts';
import { type BackupWork, createBackupWork } from '#core/backup/pack/work.ts';
import { forgetStatuses } from '#core/backup/restore/after-restore.ts';
import { Fault } from '#core/errors.ts';
import { createRefusedServers } from '#core/hosts/known-hosts/refused-servers.ts';
import { createRevokedKeys } from '#core/hosts/known-hosts/revoked.ts';
import { MOST_BUNDLE_MIB } from '#core/limits.ts';
import { BackupExport, type BackupReport, type BackupRestore } from '#core/model/backup/backup.ts';
import { createHostLookup } from '#worker/names/host-lookup.ts';
import { deriveKey } from '../adapters/derive-key.ts';
import { createImages } from '../adapters/images.ts';
import { createOutbound } from '../adapters/outbound/outbound.ts';
import type { Config } from '../config/config.ts';
import { systemClock as clock } from '../lib/clock.ts';
import { readVersion } from '../version.ts';
import { type Maintenance, openMaintenance } from './maintenance.ts';

const WHENCE = ', on the command line';

/** The bundle as JSON text. Export and restore also work beside a running gateway. */
export async function exportBackup(
  config: Config,
  passphrase: string,
  options: Pick<BackupExport, 'include_audit'>,
): Promise<string> {
  const input = BackupExport.safeParse({ ...options, passphrase });
  if (!input.success) throw new Fault('validation', 'The passphrase must have 12 to 1,024 characters');
  return withWork(config, async ({ work, trail }) => {
    const bundle = await work.pack(input.data);
    await trail.record(THE_GATEWAY, 'backup_export', exportDetail(bundle) + WHENCE, { retry: false });
    return JSON.stringify(bundle);
  });
}

/** There is no caller whose own account must survive. Running gateways notice within seconds. */
export async function restoreBackup(
  config: Config,
  text: string,
  input: Pick<BackupRestore, 'passphrase' | 'mode' | 'dry_run'>,
): Promise<BackupReport> {
  if (text.length > MOST_BUNDLE_MIB * 1024 * 1024) throw new Fault('backup_too_large');
  const bundle = parsed(text);
  return withWork(config, async ({ work, trail, repositories }) => {
    const { report, done } = await work.restore({ ...input, bundle }, undefined);
    if (!done) return report;
    const revoked = createRevokedKeys({ repositories, clock });
    const refused_servers = createRefusedServers({ repositories, revoked, files: { drop() {} }, clock });
    const ends = await Promise.allSettled([
      recordRestore(trail, THE_GATEWAY, { ...input, whence: WHENCE }, report, done),
      forgetStatuses(repositories, done.plan, done.rows),
      refused_servers.disconnect(new Set(done.plan.revoked_keys.added.map(({ host_key }) => host_key))),
    ]);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason; // what else had to follow the restore has been done
    return report;
  });
}

interface Working extends Maintenance {
  readonly work: BackupWork;
}

async function withWork<Result>(config: Config, run: (working: Working) => Promise<Result>): Promise<Result> {
  const tables = ['audit_entries', 'branding', 'bound_secrets'];
  const maintenance = await openMaintenance(config, { read_only: false, tables });
  try {
    return await run({ ...maintenance, work: createWork(maintenance, config) });
  } finally {
    await maintenance.close();
  }
}

function createWork({ repositories, vault, seal }: Maintenance, config: Config): BackupWork {
  return createBackupWork({
    repositories,
    vault,
    seal,
    deriveKey,
    images: createImages(),
    outbound: createOutbound({
      allowsPrivate: () => config.setting_values.webhook_allow_private,
      names: createHostLookup({ clock }),
    }),
    clock,
    version: readVersion(),
    config_locked: config.config_locked,
    backup_cost: BACKUP_COST,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('backup_unreadable', undefined, { cause });
  }
}
