import { type AuditTrail, createAuditTrail } from '#core/audit/trail.ts';
import { createAuditChain } from '#core/audit/writer.ts';
import { exportDetail, recordRestore } from '#core/backup/backups.ts';
import { BACKUP_COST } from '#core/backup/pack/bundle.ts';
import { type BackupWork, createBackupWork } from '#core/backup/pack/work.ts';
import { forgetStatuses } from '#core/backup/restore/aftermath.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createVault } from '#core/crypto/vault.ts';
import { Fault } from '#core/errors.ts';
import { BackupExport, type BackupReport, type BackupRestore, MOST_BUNDLE_MIB } from '#core/model/backup.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { look } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Store } from '#db/store.ts';
import { createNames } from '#worker/ssh/dial/host-lookup.ts';
import { systemClock as clock } from '../adapters/clock.ts';
import { deriveKey } from '../adapters/derive-key.ts';
import { createImages } from '../adapters/images.ts';
import { createOutbound } from '../adapters/outbound/outbound.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { existingSecretKey, keyringsOf } from '../config/secret-key.ts';
import { readVersion } from '../version.ts';
import { WRONG_KEY } from './admin-reset.ts';

const NOBODY = { user_id: null, username: '', ip_address: '' };
const SILENT = { warn: () => undefined, error: () => undefined };
const BY_WHOM = ', on the command line';

/** The bundle as JSON text. Works beside a running gateway, as the restoring does. */
export async function exportBackup(
  config: Config,
  passphrase: string,
  options: Pick<BackupExport, 'include_audit'>,
): Promise<string> {
  const input = BackupExport.safeParse({ ...options, passphrase });
  if (!input.success) throw new Fault('validation', 'The passphrase must have from 12 to 1,024 characters');
  return withWork(config, async ({ work, trail }) => {
    const bundle = await work.pack(input.data);
    await trail.record(NOBODY, 'backup_export', exportDetail(bundle) + BY_WHOM, { owed: false });
    return JSON.stringify(bundle);
  });
}

/** Without a caller whose account would stay; running gateways find out within seconds. */
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
    await recordRestore(trail, NOBODY, { ...input, whence: BY_WHOM }, report, done);
    await forgetStatuses(repositories, done.plan, done.rows);
    return report;
  });
}

interface Working {
  readonly work: BackupWork;
  readonly trail: AuditTrail;
  readonly repositories: ReturnType<typeof createRepositories>;
}

async function withWork<Result>(config: Config, run: (working: Working) => Promise<Result>): Promise<Result> {
  const secret_key = await existingSecretKey(config);
  await assertUsed(config);
  const store = openStore(config.database_url);
  try {
    return await run(await workOn(store, config, secret_key));
  } finally {
    await store.close();
  }
}

async function workOn(store: Store, config: Config, secret_key: string): Promise<Working> {
  const repositories = createRepositories(store);
  const keyrings = await keyringsOf(config, secret_key);
  const seal = createAuditSeal(...keyrings);
  const roll = await repositories.audit.roll();
  // With another key the credentials would be missing from a bundle, or unreadable after a restore.
  if (roll && !(await seal.isGenuineRoll(roll))) throw new ConfigError(WRONG_KEY);
  const chain = createAuditChain({ repositories, seal, clock, log: SILENT, instance_id: 'command line' });
  const work = createBackupWork({
    repositories,
    seal,
    vault: createVault(...keyrings),
    deriveKey,
    images: createImages(),
    outbound: createOutbound({ allow_private: config.webhook_allow_private, names: createNames({ clock }) }),
    clock,
    version: readVersion(),
    config_locked: config.config_locked,
    backup_cost: BACKUP_COST,
  });
  return { work, trail: createAuditTrail({ chain, clock }), repositories };
}

/** Never makes a database where there is none, nor tables: a gateway of an older version may be running there. */
async function assertUsed(config: Config): Promise<void> {
  const looking = openStore(config.database_url, { read_only: true });
  try {
    const tables = await look(looking);
    if (!tables.has('audit_entries') || !tables.has('branding')) {
      throw new DatabaseUnusable('No gateway of this version has used this database yet: start it first');
    }
  } finally {
    await looking.close();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('backup_unreadable', undefined, { cause });
  }
}
