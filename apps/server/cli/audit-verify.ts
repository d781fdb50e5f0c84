import type { Reading } from '#core/audit/verification/pass.ts';
import { verifyAudit } from '#core/audit/verification/verify.ts';
import { Fault } from '#core/errors.ts';
import type { AuditVerdict } from '#core/model/audit/audit.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import type { Config } from '../config/config.ts';
import { openMaintenance } from './maintenance.ts';

interface Verified extends AuditVerdict {
  /** Entries that a search may miss. */
  readonly hidden?: number;
}

/** Verifies the log without a gateway, or beside a running one; changes nothing, so it records no checkpoint either. */
export async function verifyAuditLog(
  config: Config,
  reading: Pick<Reading, 'from' | 'watch'> = {},
): Promise<Verified> {
  try {
    const tables = ['audit_entries', ...(reading.from === 'checkpoint' ? ['audit_verified'] : [])];
    const maintenance = await openMaintenance(config, { read_only: true, tables });
    try {
      const { repositories, seal } = maintenance;
      let hidden = 0;
      const onUnfindable = async (rows: readonly unknown[]) => {
        hidden += rows.length;
      };
      const verdict = await verifyAudit(
        { audit: repositories.audit, seal, onUnfindable },
        undefined,
        reading,
      );
      return { ...verdict, hidden };
    } finally {
      await maintenance.close();
    }
  } catch (error) {
    throw error instanceof Fault ? new DatabaseUnusable(error.detail, { cause: error }) : error;
  }
}

/** One line for a person or a monitoring script. */
export function describeVerdict(verdict: Verified): string {
  const { ok, entries, verified_before, restored, checkpoint, first_bad_id, reason, hidden = 0 } = verdict;
  const of_backups = restored > 0 ? `, ${restored} of them restored from a backup` : '';
  const kept = checkpoint
    ? `, after ${checkpoint.until}; retention removed ${checkpoint.removed} older entries`
    : '';
  const earlier = verified_before
    ? `. ${verified_before.entries} more were verified from ${verified_before.began_at} on and not read again`
    : '';
  const missed = hidden > 0 ? `. A search may miss ${hidden} of them: verify on the page to repair this` : '';
  if (ok) return `The audit log is intact: ${entries} entries${of_backups}${kept}${earlier}${missed}`;
  const where = first_bad_id === null ? '' : `, first at entry ${first_bad_id}`;
  return `The audit log is NOT intact (${reason}${where}); ${entries} entries are valid`;
}
