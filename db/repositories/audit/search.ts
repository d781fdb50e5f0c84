import { setImmediate as breathe } from 'node:timers/promises';
import { and, inArray, sql } from 'drizzle-orm';
import type { AuditFilter, AuditRow } from '#core/model/audit/audit.ts';
import { forChunks } from '../../query/chunks.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';
import { createAuditCandidates, DISORDER, type Found, type Place } from './candidates.ts';
import {
  type AuditPages,
  auditColumns,
  indexed,
  newestFirst,
  olderThan,
  sliceFor,
  sought,
  toFlag,
} from './entries.ts';
import { toTrigramQuery } from './trigrams.ts';

// Entries per statement: about 5 ms, during which the driver blocks the event loop.
const SLICE = 5_000;

/**
 * Search on SQLite. If the other filters leave few entries, or the search is too short for trigrams, entries are scanned
 * in order; otherwise trigrams find candidates, and only those are read.
 */
export function createAuditSearch(store: Store, most: number): AuditPages {
  const candidates = createAuditCandidates(store);
  const { isNarrow, walk } = createWalk(store);
  const toRows = createRowReader(store);

  /** The FTS5 query; undefined to scan entries in order. */
  async function queryFor(filter: AuditFilter): Promise<string | undefined> {
    const query = toTrigramQuery(filter);
    return query === undefined || (await isNarrow(filter, SLICE)) ? undefined : query;
  }

  async function read(
    filter: AuditFilter,
    after: Place | undefined,
    most: { places: number; entries: number },
  ) {
    const query = await queryFor(filter);
    const enough = query === undefined ? most.places : most.places + DISORDER;
    const slices =
      query === undefined ? walk(filter, after, most.entries) : candidates.leap(filter, query, after);
    const found: Place[] = [];
    for await (const slice of slices) {
      found.push(...slice.filter(({ fits }) => fits));
      if (found.length >= enough) break;
    }
    return found.sort(newerFirst).slice(0, most.places);
  }

  async function countWalked(filter: AuditFilter) {
    let [looked, total] = [0, 0];
    for await (const slice of walk(filter, undefined, NEWEST)) {
      looked += slice.length;
      total += slice.filter(({ fits }) => fits).length;
    }
    return { total, exact: looked < NEWEST };
  }

  return {
    async page(filter, { limit, offset }) {
      const entries = toTrigramQuery(filter) === undefined ? NEWEST : Number.POSITIVE_INFINITY;
      const places = await read(filter, undefined, { places: offset + limit, entries });
      return await toRows(places.slice(offset));
    },

    async count(filter) {
      const query = await queryFor(filter);
      if (query === undefined) return await countWalked(filter);
      return await candidates.count(filter, query, most);
    },

    async following(filter, after, limit) {
      return await toRows(await read(filter, after, { places: limit, entries: Number.POSITIVE_INFINITY }));
    },
  };
}

/** Without trigrams, a page has only what is among the newest entries, so that it is quick on both databases. */
export const NEWEST = 2 * SLICE;

export function createWalk(store: Store) {
  const { db, tables } = store;
  const { audit_entries: entries } = tables;
  const order = newestFirst(entries);
  const total = sql`count(*)`.mapWith(Number);

  return {
    /** Whether the filter leaves fewer entries, whatever it searches for. */
    async isNarrow(filter: AuditFilter, few: number): Promise<boolean> {
      const some = db.select({ id: entries.id }).from(entries).where(indexed(entries, filter));
      const rows = await db.select({ total }).from(some.limit(few).as('some'));
      return onlyRow(rows).total < few;
    },

    /** At most so many entries, in slices. */
    async *walk(filter: AuditFilter, after: Place | undefined, most: number): AsyncGenerator<Found[], void> {
      const fits = toFlag(sought(store, filter));
      for (let last = after, left = most; left > 0; await breathe()) {
        const size = Math.min(sliceFor(filter, SLICE), left);
        const rows: Found[] = await db
          .select({ id: entries.id, created_at: entries.created_at, fits })
          .from(entries)
          .where(and(indexed(entries, filter), last && olderThan(entries, last)))
          .orderBy(...order)
          .limit(size);
        yield rows;
        if (rows.length < size) return;
        last = rows.at(-1);
        left -= size;
      }
    },

    async countNewest(filter: AuditFilter, most: number) {
      const fits = toFlag(sought(store, filter)).as('fits');
      const newest = db.select({ fits }).from(entries).where(indexed(entries, filter));
      const some = newest
        .orderBy(...order)
        .limit(most)
        .as('some');
      const rows = await db
        .select({ looked: total, total: sql`count(case when fits then 1 end)`.mapWith(Number) })
        .from(some);
      const row = onlyRow(rows);
      return { total: row.total, exact: row.looked < most };
    },
  };
}

function createRowReader({ db, tables: { audit_entries } }: Store) {
  return async (places: readonly Place[]): Promise<AuditRow[]> => {
    const ids = places.map(({ id }) => id);
    const rows = await forChunks(ids, (part) =>
      db.select(auditColumns(audit_entries)).from(audit_entries).where(inArray(audit_entries.id, part)),
    );
    return rows.sort(newerFirst);
  };
}

function newerFirst(a: Place, b: Place): number {
  if (a.created_at === b.created_at) return b.id - a.id;
  return a.created_at < b.created_at ? 1 : -1;
}
