import type { AuditSeal } from '../crypto/audit-seal.ts';
import type { Vault } from '../crypto/vault.ts';
import type {
  BackupBundle,
  BackupCounts,
  BackupExport,
  BackupReport,
  BackupRestore,
} from '../model/backup.ts';
import type { BackupRows, RestorePlan } from '../ports/backup.ts';
import type { DeriveKey, Images, Outbound } from '../ports/outside.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { auditLines } from './backup-audit.ts';
import { type BackupCost, packBundle, readBundle, refusing, unpackBundle } from './backup-bundle.ts';
import { readContent } from './backup-reader.ts';
import { countsOf, recordsOf } from './backup-records.ts';
import { judgeContent } from './restore-judge.ts';
import { planRestore } from './restore-plan.ts';

export interface BackupDeps {
  readonly repositories: Pick<Repositories, 'backups' | 'audit'>;
  readonly vault: Vault;
  readonly seal: AuditSeal;
  readonly deriveKey: DeriveKey;
  readonly images: Images;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly version: string;
  readonly config_locked: boolean;
  readonly backup_cost: BackupCost;
}

/** Of entries, as many as are really there. */
type Counting = BackupCounts & { audit?: number };

/** What making and restoring a bundle is, whoever asks for it. */
export interface BackupWork {
  pack(input: BackupExport): Promise<BackupBundle>;
  /** `caller_id`: whose account stays; `done` is told of what was changed. */
  restore(
    input: BackupRestore,
    caller_id: number | undefined,
    done: (plan: RestorePlan, rows: BackupRows) => Promise<void>,
  ): Promise<BackupReport>;
}

export function createBackupWork(deps: BackupDeps): BackupWork {
  const { repositories, vault, deriveKey, outbound, clock, version: source_version, backup_cost } = deps;
  const { backups, audit } = repositories;

  async function* linesOf(
    rows: BackupRows,
    include_audit: boolean,
    counts: Counting,
  ): AsyncGenerator<string, void> {
    for await (const record of recordsOf(rows, vault)) yield JSON.stringify(record);
    if (!include_audit) return;
    for await (const record of auditLines({ ...deps, audit }, rows.chains)) {
      if (record[0] === 'audit_entry') counts.audit = (counts.audit ?? 0) + 1;
      yield JSON.stringify(record);
    }
  }

  return {
    async pack({ passphrase, include_audit }) {
      const rows = await backups.read();
      const counts: Counting = include_audit ? { ...countsOf(rows), audit: 0 } : countsOf(rows);
      const lines = linesOf(rows, include_audit, counts);
      const created_at = clock.now().toISOString();
      return packBundle(deriveKey, lines, {
        passphrase,
        created_at,
        source_version,
        counts,
        cost: backup_cost,
      });
    },

    async restore({ bundle, passphrase, mode, dry_run }, caller_id, done) {
      const opened = readBundle(bundle);
      const lines = await unpackBundle(deriveKey, opened, passphrase);
      const content = await refusing(() => readContent(lines, opened.counts));
      await judgeContent(content, outbound);
      const rows = await backups.read();
      const at = clock.now().toISOString();
      const { plan, report } = await planRestore(
        { ...deps, audit },
        { content, rows },
        { mode, at, caller_id },
      );
      if (dry_run) return report;
      await backups.restore(plan, rows);
      await done(plan, rows);
      return report;
    },
  };
}
