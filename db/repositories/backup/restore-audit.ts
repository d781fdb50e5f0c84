import { getTableColumns } from 'drizzle-orm';
import type { RestorePlan } from '#core/ports/repositories/backup.ts';
import { findingKeys } from '../audit/chains.ts';
import type { RestoreDeps } from './restore-users.ts';

/** Restores chains with their entries and returns the number of entries. */
export async function restoreAudit({ tx, tables, bulk }: RestoreDeps, { audit }: RestorePlan): Promise<void> {
  if (!audit) return;
  const { audit_chains, audit_entries, audit_roll } = tables;
  const { id, ...columns } = getTableColumns(audit_entries);
  for (const { head, entries } of audit.chains) {
    await tx.db.insert(audit_chains).values(head);
    await bulk.insert(audit_entries, columns, entries, (entry) => ({ ...entry, ...findingKeys(entry) }));
  }
  await tx.db
    .insert(audit_roll)
    .values({ id: 1, ...audit.roll })
    .onConflictDoUpdate({ target: audit_roll.id, set: audit.roll });
}
