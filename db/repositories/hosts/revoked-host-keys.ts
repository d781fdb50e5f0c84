import { asc, eq } from 'drizzle-orm';
import type { RevokedHostKeyRepository } from '#core/ports/repositories/hosts.ts';
import type { Store } from '../../store.ts';

const AT_ONCE = 100; // rows of one statement: each has five values

export function createRevokedHostKeyRepository({
  db,
  tables: { revoked_host_keys: keys },
}: Store): RevokedHostKeyRepository {
  return {
    list: async () => db.select().from(keys).orderBy(asc(keys.id)),

    ofKey: async (fingerprint) => db.select().from(keys).where(eq(keys.fingerprint, fingerprint)),

    async insertAll(rows) {
      let inserted = 0;
      for (let at = 0; at < rows.length; at += AT_ONCE) {
        const some = rows.slice(at, at + AT_ONCE);
        const added = await db.insert(keys).values(some).onConflictDoNothing().returning({ id: keys.id });
        inserted += added.length;
      }
      return inserted;
    },

    async remove(id) {
      const [removed] = await db.delete(keys).where(eq(keys.id, id)).returning();
      return removed;
    },
  };
}
