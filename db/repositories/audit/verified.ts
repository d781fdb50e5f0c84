import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import type { Store } from '../../store.ts';

export type AuditVerifications = Pick<AuditRepository, 'verified' | 'keepVerified'>;

export function createAuditVerifications({ db, tables: { audit_verified } }: Store): AuditVerifications {
  return {
    async verified() {
      const [stored] = await db.select().from(audit_verified);
      if (!stored) return undefined;
      const { id, ...row } = stored;
      return row;
    },

    async keepVerified(row) {
      if (!row) await db.delete(audit_verified);
      else
        await db
          .insert(audit_verified)
          .values({ id: 1, ...row })
          .onConflictDoUpdate({ target: audit_verified.id, set: row });
    },
  };
}
