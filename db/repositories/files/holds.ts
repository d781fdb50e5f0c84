import { and, eq, sql } from 'drizzle-orm';
import type { HoldRepository } from '#core/ports/repositories/files.ts';
import { CLOCKS } from '../../query/clocks.ts';
import type { Store } from '../../store.ts';

export function createHoldRepository({ db, dialect, tables: { holds } }: Store): HoldRepository {
  const { now, after } = CLOCKS[dialect];

  return {
    async take(key, holder, ttl_ms) {
      const taken = await db
        .insert(holds)
        .values({ key, holder, expires_at: after(ttl_ms) })
        .onConflictDoUpdate({
          target: holds.key,
          set: { holder: sql`excluded.holder`, expires_at: sql`excluded.expires_at`, claimed_at: null },
          setWhere: sql`(${holds.holder} = excluded.holder and ${holds.claimed_at} is null or ${holds.expires_at} <= ${now})`,
        })
        .returning({ key: holds.key });
      return taken.length > 0;
    },

    async claim(key) {
      await db.update(holds).set({ claimed_at: now }).where(eq(holds.key, key));
    },

    async release(key, holder) {
      await db.delete(holds).where(and(eq(holds.key, key), eq(holds.holder, holder)));
    },

    async removeExpired() {
      await db.delete(holds).where(sql`${holds.expires_at} <= ${now}`);
    },
  };
}
