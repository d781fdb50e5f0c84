import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../store.ts';

/** Whether the instance with this run id has not ended: it sends heartbeats, or may be cut off from the database. */
export function isKnown({ tables: { instances } }: Store, run_id: Column): SQL {
  return sql`exists (select 1 from ${instances} where ${instances.run_id} = ${run_id})`;
}
