import { and, eq, getTableColumns, inArray, isNotNull, ne, not, sql } from 'drizzle-orm';
import type { InstanceRepository } from '#core/ports/repositories/instances.ts';
import { CLOCKS } from '../../query/clocks.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';

export function createInstanceRepository({ db, dialect, tables }: Store): InstanceRepository {
  const { instances, terminal_sessions: sessions } = tables;
  const { now, after, untilEnd, epoch_ms } = CLOCKS[dialect];
  const is_silent = sql`${instances.expires_at} <= ${now}`;
  const { expires_at, ...columns } = getTableColumns(instances);

  return {
    async beat({ run_id, ...row }, ttl_ms) {
      const said = { ...row, expires_at: after(ttl_ms) };
      const counted = and(eq(instances.run_id, run_id), not(is_silent));
      const { run_id: id } = instances;
      const renewed = await db.update(instances).set(said).where(counted).returning({ id });
      if (renewed.length > 0) return true;
      await db
        .insert(instances)
        .values({ run_id, ...said })
        .onConflictDoUpdate({ target: id, set: said });
      return false;
    },

    async supersede({ run_id, url, machine }) {
      const same_place = and(eq(instances.url, url), eq(instances.machine, machine));
      const is_earlier = and(same_place, ne(instances.run_id, run_id));
      const runs = db.select({ run_id: instances.run_id }).from(instances).where(is_earlier);
      const is_left = and(isNotNull(sessions.kept_ms), inArray(sessions.run_id, runs));
      await db.update(sessions).set({ kept_ms: null }).where(is_left);
      await db.delete(instances).where(is_earlier);
    },

    async remove(run_id) {
      await db.delete(instances).where(eq(instances.run_id, run_id));
    },

    running: () => db.select(columns).from(instances).where(not(is_silent)).orderBy(instances.instance_id),

    silent() {
      const silent_ms = sql<number>`-(${untilEnd(sql`${expires_at}`)})`.mapWith(Number);
      return db
        .select({ ...columns, silent_ms })
        .from(instances)
        .where(is_silent);
    },

    async removeSilent(run_ids) {
      await db.delete(instances).where(and(inArray(instances.run_id, [...run_ids]), is_silent));
    },

    async time() {
      const time = epoch_ms.mapWith(Number).as('time');
      return new Date(onlyRow(await db.select({ time }).from(sql`(select 1) as one`)).time);
    },

    async doubt(run_id) {
      await db
        .update(instances)
        .set({ expires_at: sql`${now}` })
        .where(and(eq(instances.run_id, run_id), not(is_silent)));
    },
  };
}
