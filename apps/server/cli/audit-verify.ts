import { verifyAudit } from '#core/audit/verify.ts';
import { createAuditSeal } from '#core/crypto/audit-seal.ts';
import { Fault } from '#core/errors.ts';
import type { AuditVerdict } from '#core/model/audit.ts';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import { look } from '#db/migrate/apply.ts';
import { openStore } from '#db/open-store.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import type { Config } from '../config/config.ts';
import { existingSecretKey, keyringsOf } from '../config/secret-key.ts';

/** Holds the log against its chains without a running gateway, and beside one; changes nothing. */
export async function verifyAuditLog(config: Config): Promise<AuditVerdict> {
  const secret_key = await existingSecretKey(config);
  const store = openStore(config.database_url, { read_only: true });
  try {
    if (!(await look(store)).has('audit_entries')) {
      throw new DatabaseUnusable(
        'This database has no audit log: no gateway of this version has used it yet',
      );
    }
    const seal = createAuditSeal(...(await keyringsOf(config, secret_key)));
    return await verifyAudit({ audit: createRepositories(store).audit, seal }, undefined);
  } catch (error) {
    throw error instanceof Fault ? new DatabaseUnusable(error.detail, { cause: error }) : error;
  } finally {
    await store.close();
  }
}

/** One line for a person or a monitor. */
export function describeVerdict({ ok, entries, restored, first_bad_id, reason }: AuditVerdict): string {
  const of_backups = restored > 0 ? `, ${restored} of them restored from a backup` : '';
  if (ok) return `The audit log is whole: ${entries} entries${of_backups}`;
  const where = first_bad_id === null ? '' : `, first at entry ${first_bad_id}`;
  return `The audit log is NOT whole (${reason}${where}); ${entries} entries fit`;
}
