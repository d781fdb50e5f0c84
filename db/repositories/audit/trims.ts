import { and, asc, desc, eq, gte, lt, lte, min, or, sql } from 'drizzle-orm';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import { isUniqueViolation } from '../../driver-errors.ts';
import { forChunks } from '../../query/chunks.ts';
import type { Store } from '../../store.ts';
import { auditColumns } from './entries.ts';

export type AuditTrims = Pick<
  AuditRepository,
  'trim' | 'resignTrim' | 'oldest' | 'newestId' | 'countUpTo' | 'lastBefore' | 'removeUpTo' | 'firstUpTo'
>;
type Cut = Parameters<AuditTrims['firstUpTo']>[0][number];

export function createAuditTrims(store: Store): AuditTrims {
  return { ...createTrims(store), ...createPrefix(store) };
}

function createTrims({ batch, db, tables }: Store): Pick<AuditTrims, 'trim' | 'resignTrim' | 'removeUpTo'> {
  const { audit_entries, audit_trims } = tables;
  const upTo = ({ chain_id, seq }: Cut) =>
    and(eq(audit_entries.chain_id, chain_id), lte(audit_entries.seq, seq));

  return {
    async trim() {
      const [row] = await db.select().from(audit_trims).orderBy(desc(audit_trims.number)).limit(1);
      return row;
    },

    async resignTrim({ number, signature: before }, signature) {
      const same = and(eq(audit_trims.number, number), eq(audit_trims.signature, before));
      const changed = db.update(audit_trims).set({ signature }).where(same);
      return (await changed.returning({ number: audit_trims.number })).length > 0;
    },

    async removeUpTo(trim, cuts) {
      try {
        await batch((db) => [
          db.insert(audit_trims).values(trim), // first: of two instances, one fails here
          db.delete(audit_trims).where(lt(audit_trims.number, trim.number)),
          ...cuts.map((cut) => db.delete(audit_entries).where(upTo(cut))),
        ]);
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
  };
}

function createPrefix({ db, tables }: Store): Omit<AuditTrims, 'trim' | 'resignTrim' | 'removeUpTo'> {
  const { audit_entries: entries } = tables;
  const { id, chain_id, seq, created_at } = entries;

  return {
    oldest: (limit) => db.select(auditColumns(entries)).from(entries).orderBy(asc(id)).limit(limit),

    async newestId(skipped) {
      const [row] = await db.select({ id }).from(entries).orderBy(desc(id)).limit(1).offset(skipped);
      return row?.id;
    },

    async countUpTo(last_id) {
      const [row] = await db
        .select({ total: sql`count(*)`.mapWith(Number) })
        .from(entries)
        .where(lte(id, last_id));
      return row?.total ?? 0;
    },

    async lastBefore(at) {
      const [first] = await db
        .select({ id: min(id) })
        .from(entries)
        .where(gte(created_at, at));
      const older = first?.id == null ? undefined : lt(id, first.id);
      const [row] = await db.select({ id, created_at }).from(entries).where(older).orderBy(desc(id)).limit(1);
      return row;
    },

    async firstUpTo(cuts) {
      const found = await forChunks(cuts, (part) =>
        db
          .select({ id: min(id) })
          .from(entries)
          .where(or(...part.map((cut) => and(eq(chain_id, cut.chain_id), lte(seq, cut.seq))))),
      );
      const ids = found.flatMap((row) => row.id ?? []);
      return ids.length > 0 ? Math.min(...ids) : undefined;
    },
  };
}
