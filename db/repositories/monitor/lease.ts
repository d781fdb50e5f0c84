import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { MonitorLeaseRepository } from '#core/ports/repositories/monitor.ts';
import { CLOCKS } from '../../query/clocks.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';

const LEASE_ID = 1;
const LONGEST_MS = 10 * 60_000; // a longer lease was taken before the clock was set back, and its holder may be gone

export function createMonitorLeaseRepository({
  db,
  dialect,
  tables: { monitor_lease: lease },
}: Store): MonitorLeaseRepository {
  const { now, after, untilEnd } = CLOCKS[dialect];

  return {
    async hold({ run_id, instance_id, ttl_ms }) {
      const is_over = sql`(${lease.expires_at} <= ${now} or ${lease.expires_at} > ${after(LONGEST_MS)})`;
      const taken = sql`(${lease.run_id} = excluded.run_id or ${is_over})`;
      // The row is always written, so that a single statement decides and returns the holder.
      const unlessHeld = ({ name }: { name: string }, kept: SQL) =>
        sql`case when ${taken} then excluded.${sql.identifier(name)} else ${kept} end`;
      const rows = await db
        .insert(lease)
        .values({ id: LEASE_ID, run_id, instance_id, expires_at: after(ttl_ms) })
        .onConflictDoUpdate({
          target: lease.id,
          set: {
            run_id: unlessHeld(lease.run_id, sql`${lease.run_id}`),
            instance_id: unlessHeld(lease.instance_id, sql`${lease.instance_id}`),
            expires_at: unlessHeld(lease.expires_at, sql`${lease.expires_at}`),
          },
        })
        .returning({ run_id: lease.run_id, left_ms: untilEnd(sql`${lease.expires_at}`).mapWith(Number) });
      const held = onlyRow(rows);
      return { is_ours: held.run_id === run_id, expires_in_ms: Math.max(0, Math.floor(held.left_ms)) };
    },

    async release(run_id) {
      await db.delete(lease).where(and(eq(lease.id, LEASE_ID), eq(lease.run_id, run_id)));
    },
  };
}
