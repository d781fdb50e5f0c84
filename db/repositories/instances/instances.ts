import { and, eq, ne, sql } from 'drizzle-orm';
import type { InstanceRepository } from '#core/ports/repositories/instances.ts';
import { CLOCKS } from '../../query/clocks.ts';
import type { Store } from '../../store.ts';

export function createInstanceRepository({ db, dialect, tables: { instances } }: Store): InstanceRepository {
  const { now, after } = CLOCKS[dialect];

  return {
    async beat({ run_id, instance_id, url, machine, proof }, ttl_ms) {
      const said = { instance_id, url, machine, proof, expires_at: after(ttl_ms) };
      await db
        .insert(instances)
        .values({ run_id, ...said })
        .onConflictDoUpdate({ target: instances.run_id, set: said });
    },

    async supersede({ run_id, url, machine }) {
      const same_place = and(eq(instances.url, url), eq(instances.machine, machine));
      await db.delete(instances).where(and(same_place, ne(instances.run_id, run_id)));
    },

    async remove(run_id) {
      await db.delete(instances).where(eq(instances.run_id, run_id));
    },

    running: () =>
      db
        .select({ instance_id: instances.instance_id, machine: instances.machine })
        .from(instances)
        .where(sql`${instances.expires_at} > ${now}`)
        .orderBy(instances.instance_id),

    async removeExpired() {
      await db.delete(instances).where(sql`${instances.expires_at} <= ${now}`);
    },
  };
}
