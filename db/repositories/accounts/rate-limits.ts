import { gt, lte, or, sql } from 'drizzle-orm';
import type { RateLimitRepository } from '#core/ports/repositories/accounts.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';

export function createRateLimitRepository({ db, tables: { rate_limits } }: Store): RateLimitRepository {
  return {
    async hit({ key, now, window_ends_at, latest_end }) {
      const over = or(lte(rate_limits.window_ends_at, now), gt(rate_limits.window_ends_at, latest_end));
      const kept = rate_limits.window_ends_at;
      const rows = await db
        .insert(rate_limits)
        .values({ key, count: 1, window_ends_at })
        .onConflictDoUpdate({
          target: rate_limits.key,
          set: {
            count: sql`case when ${over} then 1 else ${rate_limits.count} + 1 end`,
            window_ends_at: sql`case when ${over} then excluded.window_ends_at else ${kept} end`,
          },
        })
        .returning({ count: rate_limits.count, window_ends_at: kept });
      return onlyRow(rows);
    },

    async removeExpired(now) {
      await db.delete(rate_limits).where(lte(rate_limits.window_ends_at, now));
    },
  };
}
