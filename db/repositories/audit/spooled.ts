import { and, eq, inArray, lte, or, sql } from 'drizzle-orm';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import { forChunks, inChunks } from '../../query/chunks.ts';
import type { Store } from '../../store.ts';

export type AuditSpooled = Pick<
  AuditRepository,
  'awaitWrites' | 'storedKeys' | 'storedHashes' | 'removeExpiredKeys'
>;

export function createAuditSpooled({ db, tables }: Store): AuditSpooled {
  const { audit_chains, audit_entries, audit_spooled } = tables;

  return {
    async awaitWrites(chain_ids) {
      // Each write changes the head of its chain, so an update has to wait for it.
      const unchanged = { entries: sql`${audit_chains.entries}` };
      for (const part of inChunks(chain_ids)) {
        await db.update(audit_chains).set(unchanged).where(inArray(audit_chains.id, part));
      }
    },

    async storedKeys(keys) {
      const { key } = audit_spooled;
      const rows = await forChunks(keys, (part) =>
        db.select({ key }).from(audit_spooled).where(inArray(key, part)),
      );
      return rows.map((row) => row.key);
    },

    async storedHashes(places) {
      const { chain_id, seq, hash } = audit_entries;
      const is = (place: (typeof places)[number]) => and(eq(chain_id, place.chain_id), eq(seq, place.seq));
      const rows = await forChunks(places, (part) =>
        db
          .select({ hash })
          .from(audit_entries)
          .where(or(...part.map(is))),
      );
      return rows.map((row) => row.hash);
    },

    async removeExpiredKeys(now) {
      await db.delete(audit_spooled).where(lte(audit_spooled.expires_at, now));
    },
  };
}
