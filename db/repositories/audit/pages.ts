import { and, inArray, max, type SQL, sql } from 'drizzle-orm';
import type { AuditFilter } from '#core/model/audit/audit.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';
import {
  type AuditPages,
  auditColumns,
  indexed,
  needlesOf,
  newestFirst,
  olderThan,
  sought,
} from './entries.ts';
import { createCondition, createPageIds, isShort, isWhole } from './page-ids.ts';
import { createAuditSearch, createWalk, NEWEST } from './search.ts';

// Counting a million takes about 20 ms on SQLite, 40 ms with a limit, and blocks the event loop; PostgreSQL takes longer.
const COUNTED_WHOLE = { sqlite: 2_000_000, postgres: 200_000 };
const COUNTED = { sqlite: 500_000, postgres: 200_000 };
const FOUND = 10_000; // a search has to read the entries it counts

export function createAuditPages(store: Store): AuditPages {
  const plain = createPlainPages(store);
  if (store.dialect === 'postgres') return plain;
  const search = createAuditSearch(store, FOUND);
  const of = (filter: AuditFilter) => (needlesOf(filter).length > 0 ? search : plain);
  return {
    page: (filter, paging) => of(filter).page(filter, paging),
    count: (filter) => of(filter).count(filter),
    following: (filter, after, limit) => of(filter).following(filter, after, limit),
  };
}

/** Counts by index; a search reads all entries, which on PostgreSQL blocks nobody else. */
function createPlainPages(store: Store): AuditPages {
  const { db, tables } = store;
  const { audit_entries: entries } = tables;
  const { countNewest } = createWalk(store);
  const page_ids = createPageIds(store);
  const condition = createCondition(store);
  const order = newestFirst(entries);
  const matching = (filter: AuditFilter) => and(indexed(entries, filter), sought(store, filter));
  const total = sql`count(*)`.mapWith(Number);

  async function countUpTo(most: number, condition: SQL | undefined) {
    const some = db.select({ id: entries.id }).from(entries).where(condition);
    const rows = await db.select({ total }).from(some.limit(most + 1).as('some'));
    const counted = onlyRow(rows).total;
    return { total: Math.min(counted, most), exact: counted <= most };
  }

  return {
    async page(filter, paging) {
      const page = isShort(filter)
        ? page_ids.ofShort(filter, paging)
        : page_ids.of(await condition(filter), await page_ids.nearest(filter, paging));
      // Rows before the page are skipped in the index without being read.
      return await db
        .select(auditColumns(entries))
        .from(entries)
        .where(inArray(entries.id, page))
        .orderBy(...order);
    },

    async count(filter) {
      if (isShort(filter)) return await countNewest(filter, NEWEST);
      if (needlesOf(filter).length > 0) return await countUpTo(FOUND, await condition(filter));
      const [last] = await db.select({ id: max(entries.id) }).from(entries);
      if ((last?.id ?? 0) > COUNTED_WHOLE[store.dialect]) {
        if (isWhole(filter)) return { total: await page_ids.recorded(), exact: true };
        return await countUpTo(COUNTED[store.dialect], matching(filter));
      }
      const rows = await db.select({ total }).from(entries).where(matching(filter));
      return { ...onlyRow(rows), exact: true };
    },

    following: (filter, after, limit) =>
      db
        .select(auditColumns(entries))
        .from(entries)
        .where(and(matching(filter), after && olderThan(entries, after)))
        .orderBy(...order)
        .limit(limit),
  };
}
