import { type BackupDeps, type BackupWork, createBackupWork } from '#core/backup/pack/work.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createVault } from '#core/crypto/vault.ts';
import { Fault } from '#core/errors.ts';
import type { BackupBundle, BackupMode } from '#core/model/backup/backup.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { deriveKey } from '#server/adapters/derive-key.ts';
import { createImages } from '#server/adapters/images.ts';
import { systemClock as clock } from '#server/lib/clock.ts';
import { PASSPHRASE } from '../../support/features/backups.ts';

/** Backup and restore without a gateway. */
export const workOn = async (repositories: Repositories): Promise<BackupWork> =>
  createBackupWork(await depsOn(repositories));

export async function depsOn(repositories: Repositories): Promise<BackupDeps> {
  const keyring = await createKeyring('a secret key of the tests');
  return {
    repositories,
    vault: createVault(keyring),
    seal: createAuditSeal(keyring),
    deriveKey,
    images: createImages(),
    outbound: { objection: () => undefined, post: () => Promise.reject(new Error('Nothing is sent')) },
    clock,
    version: '0.6.0',
    config_locked: false,
    backup_cost: { memory_kib: 8192, iterations: 1, parallelism: 1 },
  };
}

/** The report. */
export async function restoreWith(work: BackupWork, bundle: BackupBundle, mode: BackupMode = 'merge') {
  const input = { bundle, passphrase: PASSPHRASE, mode, dry_run: false };
  return (await work.restore(input, undefined)).report;
}

export const codeOf = (error: unknown) => (error instanceof Fault ? error.code : String(error));
