import type { AuditSeal } from '../../crypto/audit-seal.ts';
import type { Vault } from '../../crypto/vault.ts';
import type {
  BackupBundle,
  BackupCounts,
  BackupExport,
  BackupReport,
  BackupRestore,
} from '../../model/backup/backup.ts';
import type { DeriveKey, Images, Outbound } from '../../ports/outside.ts';
import type { BackupRows, RestorePlan } from '../../ports/repositories/backup.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime.ts';
import { type RestoreSummary, summaryOf } from '../restore/summary.ts';
import { createRestoreWork } from '../restore/work.ts';
import { auditLines } from './audit.ts';
import { type BackupCost, packBundle } from './bundle.ts';
import { countsOf, recordsOf } from './records.ts';
import { type Shares, withinShares } from './shares.ts';

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

/** Filled while the rows are read. */
interface Tally {
  readonly counts: BackupCounts & { audit?: number };
  /** Time of the newest entry: another instance's clock may be ahead. */
  newest: string;
  unreadable: number;
}

export interface RestoreOutcome {
  readonly report: BackupReport;
  /** Undefined for a dry run. */
  readonly done: CarriedOut | undefined;
}

export interface CarriedOut {
  readonly plan: RestorePlan;
  /** The rows before the restore. */
  readonly rows: BackupRows;
  readonly summary: readonly RestoreSummary[];
}

/** Makes and restores bundles, without access checks. */
export interface BackupWork {
  pack(input: BackupExport): Promise<BackupBundle>;
  /** The account `caller_id` cannot be locked out. */
  restore(input: BackupRestore, caller_id: number | undefined): Promise<RestoreOutcome>;
}

export function createBackupWork(deps: BackupDeps): BackupWork {
  const { repositories, vault, deriveKey, clock, version: source_version, backup_cost } = deps;
  const { backups, audit } = repositories;
  const restores = createRestoreWork({ ...deps, backups, audit });

  async function* linesOf(
    shares: Shares,
    include_audit: boolean,
    tally: Tally,
  ): AsyncGenerator<string, void> {
    for await (const record of recordsOf(shares, vault, tally)) yield JSON.stringify(record);
    if (!include_audit) return;
    for await (const record of auditLines({ ...deps, audit }, shares.rows.chains)) {
      if (record[0] === 'audit_entry') {
        tally.counts.audit = (tally.counts.audit ?? 0) + 1;
        tally.newest = later(tally.newest, record[1].created_at);
      }
      yield JSON.stringify(record);
    }
  }

  return {
    async pack({ passphrase, include_audit }) {
      const shares = withinShares(await backups.read());
      const { rows, left_out } = shares;
      const counts = include_audit ? { ...countsOf(rows), audit: 0 } : countsOf(rows);
      const tally: Tally = { counts, newest: clock.now().toISOString(), unreadable: 0 };
      return packBundle(deriveKey, linesOf(shares, include_audit, tally), {
        passphrase,
        created_at: () => tally.newest,
        source_version,
        counts,
        missing: () => ({ unreadable: tally.unreadable, left_out }),
        cost: backup_cost,
      });
    },

    async restore(input, caller_id) {
      const { mode, dry_run } = input;
      const opened = await restores.open(input);
      const planOrDo = dry_run ? restores.plan : restores.carryOut;
      const { plan, rows, report } = await planOrDo(opened, { mode, dry_run, caller_id });
      return { report, done: dry_run ? undefined : { plan, rows, summary: summaryOf(plan, rows) } };
    },
  };
}

function later(one: string, other: string): string {
  return Date.parse(other) > Date.parse(one) ? other : one;
}
