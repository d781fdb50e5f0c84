import { setImmediate as breathe } from 'node:timers/promises';
import { and, asc, desc, gte, lte, type SQL, sql } from 'drizzle-orm';
import type { AuditFilter, AuditRow } from '#core/model/audit/audit.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';
import { indexed, olderThan, sliceFor, sought, toFlag } from './entries.ts';

/**
 * How far an entry's position by id may differ from its position by time: instances on one file share a clock and write
 * entries within a second.
 */
export const DISORDER = 500;
const SLICE = 5_000; // about 10 ms, during which the driver blocks the event loop
const LAST_ID = 2_147_483_647;

export type Place = Pick<AuditRow, 'id' | 'created_at'>;
export type Found = Place & { readonly fits: boolean };

/** Trigram matches by descending id, checked again because trigrams ignore text order and time. */
export function createAuditCandidates(store: Store) {
  const { db, tables } = store;
  const { audit_entries: entries } = tables;
  const bounds = createBounds(store);

  /** FTS5 requires integers, which the driver cannot bind, so they are inlined. */
  const candidates = (query: string, lowest: number, highest: number, most: number) => sql`(
    select rowid as candidate from audit_search where audit_search match ${query}
    and rowid >= cast(${lowest} as integer) and rowid <= cast(${highest} as integer)
    order by rowid desc limit ${most}
  ) left join ${entries} on ${entries}.id = candidate`;

  return {
    async *leap(filter: AuditFilter, query: string, after: Place | undefined): AsyncGenerator<Found[], void> {
      const older = after && olderThan(entries, after);
      const fits = toFlag(and(indexed(entries, filter), sought(store, filter), older));
      const found = { id: sql<number>`candidate`, created_at: sql<string>`created_at`, fits };
      const { lowest, highest } = await bounds(filter, after);
      const sizeOf = (entries: number) => sliceFor(filter, entries);
      for (let upTo = highest, size = sizeOf(2 * DISORDER); ; size = sizeOf(SLICE)) {
        const rows = await db.select(found).from(candidates(query, lowest, upTo, size));
        yield rows;
        if (rows.length < size) return;
        upTo = rows.reduce((least, { id }) => Math.min(least, id - 1), upTo);
        await breathe();
      }
    },

    async count(filter: AuditFilter, query: string, most: number) {
      const { lowest, highest } = await bounds(filter, undefined);
      const fits = and(indexed(entries, filter), sought(store, filter));
      const counts = {
        looked: sql`count(*)`.mapWith(Number),
        total: sql`count(case when ${fits} then 1 end)`.mapWith(Number),
        least: sql`coalesce(min(candidate), 0)`.mapWith(Number),
      };
      let [looked, total] = [0, 0];
      for (let upTo = highest; looked < most; await breathe()) {
        const size = Math.min(sliceFor(filter, most), most - looked);
        const slice = onlyRow(await db.select(counts).from(candidates(query, lowest, upTo, size)));
        looked += slice.looked;
        total += slice.total;
        if (slice.looked < size) break;
        upTo = slice.least - 1;
      }
      return { total, exact: looked < most };
    },
  };
}

/** The id range that contains all entries of the period. */
function createBounds({ db, tables: { audit_entries: entries } }: Store) {
  async function near(condition: SQL, direction: typeof asc): Promise<number[]> {
    const { created_at, id } = entries;
    const rows = db.select({ id }).from(entries).where(condition);
    return (await rows.orderBy(direction(created_at), direction(id)).limit(DISORDER)).map((row) => row.id);
  }

  return async ({ since, until }: AuditFilter, after: Place | undefined) => {
    const end = after && (until === undefined || after.created_at < until) ? after.created_at : until;
    const first = since === undefined ? [] : await near(gte(entries.created_at, since), asc);
    const last = end === undefined ? [] : await near(lte(entries.created_at, end), desc);
    return {
      lowest: first.length === 0 ? 0 : Math.min(...first),
      highest: last.length === 0 ? LAST_ID : Math.max(...last),
    };
  };
}
