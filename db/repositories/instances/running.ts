import { type Column, type SQL, sql } from 'drizzle-orm';
import { CLOCKS } from '../../query/clocks.ts';
import type { Store } from '../../store.ts';

/** Whether the instance with this run id still reports itself as running. */
export function isRunning({ dialect, tables: { instances } }: Store, run_id: Column): SQL {
  const { now } = CLOCKS[dialect];
  return sql`exists (
    select 1 from ${instances} where ${instances.run_id} = ${run_id} and ${instances.expires_at} > ${now}
  )`;
}
