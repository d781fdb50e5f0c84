import { limitsDetail } from '../audit/retention/limits.ts';
import type { Actor, AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { withPhrases } from '../hosts/imports/warning-phrases.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type {
  BackupBundle,
  BackupCounts,
  BackupExport,
  BackupReport,
  BackupRestore,
} from '../model/backup/backup.ts';
import { assertMay } from '../policy/account.ts';
import type { Background } from '../ports/runtime.ts';
import { type BackupDeps, type CarriedOut, createBackupWork } from './pack/work.ts';
import type { createAfterRestore } from './restore/after-restore.ts';

const RETRY_AFTER_S = 5;

/** Exports the whole gateway into an encrypted bundle and restores it. */
export interface Backups {
  export(caller: Caller, input: BackupExport): Promise<BackupBundle>;
  restore(caller: Caller, input: BackupRestore): Promise<BackupReport>;
}

interface Deps extends BackupDeps {
  readonly trail: AuditTrail;
  readonly afterRestore: ReturnType<typeof createAfterRestore>;
  readonly background: Background;
}

export function createBackups({ trail, afterRestore, background, ...deps }: Deps): Backups {
  const work = createBackupWork(deps);
  let is_busy = false;

  /** One at a time: each needs several times the memory of the gateway's content. */
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
      assertMay(caller, 'administer_confirmed'); // the bundle contains all second factors
      const bundle = await alone(() => work.pack(input));
      await trail.record(caller, 'backup_export', exportDetail(bundle), { retry: false });
      return bundle;
    },

    async restore(caller, input) {
      assertMay(caller, 'administer_confirmed');
      const { report, done } = await alone(() => work.restore(input, caller.user_id));
      if (!done) return report;
      // The restore is done: a failure from here on must not hide that.
      const recording = recordRestore(trail, caller, { ...input, whence: '' }, report, done);
      const following = afterRestore(done.plan, done.rows);
      background.run('applying a restore to this process', following);
      await recording;
      return { ...report, ...withPhrases([...report.warnings, ...(await lateness(following))]) };
    },
  };
}

export function exportDetail({ counts }: Pick<BackupBundle, 'counts'>): string {
  return wordsOf(counts) || 'nothing';
}

async function lateness(following: Promise<void>): Promise<string[]> {
  const is_followed = await following.then(
    () => true,
    () => false,
  );
  return is_followed
    ? []
    : ['Restored, but not everything running here was updated at once; it updates itself within seconds'];
}

/** Records the totals, then the names. */
export async function recordRestore(
  trail: AuditTrail,
  actor: Actor,
  { mode, whence }: Pick<BackupRestore, 'mode'> & { readonly whence: string },
  report: BackupReport,
  { summary, plan }: Pick<CarriedOut, 'summary' | 'plan'>,
): Promise<void> {
  const limits = limitsDetail(Object.fromEntries(plan.settings.saved.map(({ key, value }) => [key, value])));
  // Together, so that the others are written late even if the first fails.
  await Promise.all([
    trail.record(actor, 'backup_restore', restoreDetail({ mode }, report) + whence),
    ...(limits ? [trail.record(actor, 'audit_limits', limits)] : []),
    ...summary.map(({ what, items }) =>
      trail.recordAll(actor, 'backup_restore', { label: `${what}${whence}: `, items }),
    ),
  ]);
}

function restoreDetail({ mode }: Pick<BackupRestore, 'mode'>, report: BackupReport): string {
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
