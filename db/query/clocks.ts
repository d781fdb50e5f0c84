import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Dialect } from '../store.ts';

interface DatabaseClock {
  /** Constant within a statement. */
  readonly now: SQL;
  after(ms: number | SQLWrapper): SQL;
  /** The present, also within a statement that has waited: milliseconds since 1970. */
  readonly epoch_ms: SQL;
  /** In milliseconds. */
  untilEnd(instant: SQL): SQL;
}

/** The database's clock, because the clocks of the instances may differ. */
export const CLOCKS: Record<Dialect, DatabaseClock> = {
  sqlite: {
    now: sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
    after: (ms) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', (${ms} / 1000.0) || ' seconds')`,
    epoch_ms: sql`unixepoch('now', 'subsec') * 1000`,
    untilEnd: (instant) => sql`(unixepoch(${instant}, 'subsec') - unixepoch('now', 'subsec')) * 1000`,
  },
  postgres: {
    now: sql`now()`,
    after: (ms) => sql`now() + cast(${ms} as double precision) * interval '1 millisecond'`,
    epoch_ms: sql`extract(epoch from pg_catalog.clock_timestamp()) * 1000`,
    // The statement may have waited for another one since `now()`.
    untilEnd: (instant) => sql`extract(epoch from ${instant} - clock_timestamp()) * 1000`,
  },
};
