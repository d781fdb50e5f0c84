import { and, asc, desc, type SQL, sql } from 'drizzle-orm';
import type { AuditFilter } from '#core/model/audit/audit.ts';
import { containing, containingUnindexed } from '../../query/containing.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';
import { type AuditPages, indexed, needlesOf, newestFirst, sought } from './entries.ts';
import { createWalk, NEWEST } from './search.ts';
import { toTrigramQuery } from './trigrams.ts';

const FEW = 20_000; // entries of a user or a period: PostgreSQL reads them faster than it finds a frequent text by trigrams
const DEEP = 50_000; // entries before a page, from which on it may be read from the end of the log

type Paging = Parameters<AuditPages['page']>[1];

/** Too short for trigrams. */
export function isShort(filter: AuditFilter): boolean {
  return needlesOf(filter).length > 0 && toTrigramQuery(filter) === undefined;
}

export function isWhole(filter: AuditFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/** Queries for the ids of a page, which read as few entries as possible. */
export function createPageIds(store: Store) {
  const { db, dialect, tables } = store;
  const { audit_entries: entries, audit_chains, audit_trims } = tables;
  const order = newestFirst(entries);
  const oldestFirst = [asc(entries.created_at), asc(entries.id)];

  /** Counts as many as the heads of the chains, without what retention has removed. */
  async function recorded(): Promise<number> {
    const sum = sql`coalesce(sum(${audit_chains.entries}), 0)`.mapWith(Number);
    const { all } = onlyRow(await db.select({ all: sum }).from(audit_chains));
    const [trim] = await db.select().from(audit_trims).orderBy(desc(audit_trims.number)).limit(1);
    return all - removedBy(trim?.cuts);
  }

  return {
    recorded,

    /** The page among the newest entries, which are read first: a join with them would read all entries. */
    ofShort(filter: AuditFilter, { limit, offset }: Paging) {
      const { id, created_at, search_key } = entries;
      const some = db.select({ id, created_at, search_key }).from(entries).where(indexed(entries, filter));
      const newest = some
        .orderBy(...order)
        .limit(NEWEST)
        .as('newest');
      return db
        .select({ id: newest.id })
        .from(newest)
        .where(and(...needlesOf(filter).map((text) => containing(dialect, newest.search_key, text))))
        .orderBy(desc(newest.created_at), desc(newest.id))
        .limit(limit)
        .offset(offset);
    },

    of(
      condition: SQL | undefined,
      { limit, offset, is_from_end = false }: Paging & { is_from_end?: boolean },
    ) {
      const ids = db.select({ id: entries.id }).from(entries).where(condition);
      return ids
        .orderBy(...(is_from_end ? oldestFirst : order))
        .limit(limit)
        .offset(offset);
    },

    /** Counts a page near the end of the whole log from there. */
    async nearest(filter: AuditFilter, paging: Paging) {
      const { limit, offset } = paging;
      if (offset < DEEP || !isWhole(filter)) return paging;
      const total = await recorded();
      if (offset < total / 2) return paging;
      const most = Math.max(0, Math.min(limit, total - offset));
      return { limit: most, offset: Math.max(0, total - offset - most), is_from_end: true };
    },
  };
}

/** What a filter matches; without the trigram index when the rest of the filter leaves few entries. */
export function createCondition(store: Store) {
  const { dialect, tables } = store;
  const { audit_entries: entries } = tables;
  const { isNarrow } = createWalk(store);
  return async (filter: AuditFilter): Promise<SQL | undefined> => {
    const { search, searches, address, ...rest } = filter;
    const needles = needlesOf(filter);
    const is_few = needles.length > 0 && !isWhole(rest) && (await isNarrow(filter, FEW));
    const texts = is_few
      ? and(...needles.map((text) => containingUnindexed(dialect, entries.search_key, text)))
      : sought(store, filter);
    return and(indexed(entries, filter), texts);
  };
}

/** The position of each cut is the number of entries before it. */
function removedBy(cuts = '[]'): number {
  const all: unknown = JSON.parse(cuts);
  return Array.isArray(all) ? all.reduce((sum: number, cut) => sum + (Number(cut?.[1]) || 0), 0) : 0;
}
