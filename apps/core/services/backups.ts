import { Fault } from '../errors.ts';
import type {
  BackupBundle,
  BackupCounts,
  BackupExport,
  BackupReport,
  BackupRestore,
} from '../model/backup.ts';
import type { Caller } from '../model/caller.ts';
import { assertAdmin } from '../policy/account.ts';
import type { AuditTrail } from './audit-trail.ts';
import { type BackupDeps, createBackupWork } from './backup-work.ts';
import type { createAftermath } from './restore-aftermath.ts';

const RETRY_AFTER_S = 5;

/** All that makes this gateway, in one encrypted bundle and back. */
export interface Backups {
  export(caller: Caller, input: BackupExport): Promise<BackupBundle>;
  restore(caller: Caller, input: BackupRestore): Promise<BackupReport>;
}

interface Deps extends BackupDeps {
  readonly trail: AuditTrail;
  readonly aftermath: ReturnType<typeof createAftermath>;
}

export function createBackups({ trail, aftermath, ...deps }: Deps): Backups {
  const work = createBackupWork(deps);
  let is_busy = false;

  /** Each takes the memory of a whole gateway's content several times over. */
  async function alone<Result>(run: () => Promise<Result>): Promise<Result> {
    if (is_busy) throw new Fault('backup_busy', undefined, { retry_after: RETRY_AFTER_S });
    is_busy = true;
    try {
      return await run();
    } finally {
      is_busy = false;
    }
  }

  return {
    async export(caller, input) {
      assertAdmin(caller);
      const bundle = await alone(() => work.pack(input));
      await trail.record(caller, 'backup_export', exportDetail(bundle), { owed: false });
      return bundle;
    },

    async restore(caller, input) {
      assertAdmin(caller);
      const report = await alone(() => work.restore(input, caller.user_id, aftermath));
      if (!input.dry_run) await trail.record(caller, 'backup_restore', restoreDetail(input, report));
      return report;
    },
  };
}

export function exportDetail({ counts }: Pick<BackupBundle, 'counts'>): string {
  return wordsOf(counts) || 'nothing';
}

export function restoreDetail({ mode }: Pick<BackupRestore, 'mode'>, report: BackupReport): string {
  const { created, updated, skipped, removed } = report;
  const parts = Object.entries({ created, updated, skipped, removed }).flatMap(([verb, counts]) => {
    const words = wordsOf(counts);
    return words ? [`${verb} ${words}`] : [];
  });
  return `${mode}: ${parts.join('; ') || 'nothing'}`;
}

function wordsOf(counts: BackupCounts): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`).join(', ');
}
