import { and, desc, eq, lt, lte, min, or, sql } from 'drizzle-orm';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import { isUniqueViolation } from '../../driver-errors.ts';
import { forChunks } from '../../query/chunks.ts';
import type { Store } from '../../store.ts';

export type AuditTrims = Pick<AuditRepository, 'trim' | 'resignTrim' | 'removeUpTo' | 'firstUpTo'>;
type Cut = Parameters<AuditTrims['removeUpTo']>[1];

export function createAuditTrims({ batch, db, tables }: Store): AuditTrims {
  const { audit_entries, audit_trims } = tables;
  const { number } = audit_trims;
  const upTo = ({ chain_id, seq }: Cut) =>
    and(eq(audit_entries.chain_id, chain_id), lte(audit_entries.seq, seq));

  return {
    async trim() {
      const [row] = await db.select().from(audit_trims).orderBy(desc(number)).limit(1);
      return row;
    },

    async resignTrim({ number: its, signature: before }, signature) {
      const same = and(eq(number, its), eq(audit_trims.signature, before));
      const changed = db.update(audit_trims).set({ signature }).where(same);
      return (await changed.returning({ number })).length > 0;
    },

    async removeUpTo(trim, cut) {
      const last = sql`(select max(${number}) from ${audit_trims})`;
      // One of two instances fails here: with the number of the other, or with one that is taken.
      const next = sql`case when coalesce(${last}, 0) = ${trim.number - 1} then ${trim.number} else ${last} end`;
      try {
        await batch((db) => [
          db.insert(audit_trims).values({ ...trim, number: next }),
          db.delete(audit_trims).where(lt(number, trim.number)),
          db.delete(audit_entries).where(upTo(cut)),
        ]);
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },

    async firstUpTo(cuts) {
      const found = await forChunks(cuts, (part) =>
        db
          .select({ id: min(audit_entries.id) })
          .from(audit_entries)
          .where(or(...part.map(upTo))),
      );
      const ids = found.flatMap(({ id }) => id ?? []);
      return ids.length > 0 ? Math.min(...ids) : undefined;
    },
  };
}
