import { and, eq, sql } from 'drizzle-orm';
import { alphabetical } from '#core/lib/text/alphabetical.ts';
import type { QuickHostKeyRepository } from '#core/ports/repositories/terminals.ts';
import { orFault } from '../../query/or-fault.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';

export function createQuickHostKeyRepository({
  db,
  tables: { quick_host_keys: keys },
}: Store): QuickHostKeyRepository {
  return {
    async find({ user_id, hostname, port }) {
      const [row] = await db
        .select()
        .from(keys)
        .where(and(eq(keys.user_id, user_id), eq(keys.hostname, hostname), eq(keys.port, port)));
      return row;
    },

    async pin(row) {
      // The row is always written, so that a single statement decides and returns the pin.
      const pinned = db
        .insert(keys)
        .values(row)
        .onConflictDoUpdate({
          target: [keys.user_id, keys.hostname, keys.port],
          set: { host_key: sql`${keys.host_key}` },
        })
        .returning();
      return onlyRow(await orFault('invalid_token', pinned)); // deleted in the meantime
    },

    async ofUser(user_id) {
      const rows = await db.select().from(keys).where(eq(keys.user_id, user_id));
      return rows.sort((a, b) => alphabetical(a.hostname, b.hostname) || a.port - b.port);
    },

    async replace(user_id, id, key) {
      const own = and(eq(keys.user_id, user_id), eq(keys.id, id));
      const [before] = await db.select().from(keys).where(own);
      const [after] = await db.update(keys).set(key).where(own).returning();
      return before && after ? { before, after } : undefined;
    },

    async remove(user_id, id) {
      const own = and(eq(keys.user_id, user_id), eq(keys.id, id));
      const [removed] = await db.delete(keys).where(own).returning();
      return removed;
    },
  };
}
