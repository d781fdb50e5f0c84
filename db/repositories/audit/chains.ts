import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { toUsernameKey } from '#core/model/accounts/user.ts';
import type { AuditRecord, NewAuditRow, ScannedAuditRow } from '#core/model/audit/audit.ts';
import type { AuditRepository } from '#core/ports/repositories/audit.ts';
import { isLost, isUniqueViolation } from '../../driver-errors.ts';
import { inChunks } from '../../query/chunks.ts';
import type { Db, Store } from '../../store.ts';
import { delivering, toFired } from '../webhooks/outbox.ts';
import { type AuditPages, toSearchKey } from './entries.ts';
import type { AuditSpooled } from './spooled.ts';
import { toFacets } from './trigrams.ts';
import type { AuditTrims } from './trims.ts';
import type { AuditVerifications } from './verified.ts';

type Elsewhere = AuditSpooled & AuditTrims & AuditVerifications & AuditPages;
type Chains = Omit<AuditRepository, keyof Elsewhere>;
type Reading = Pick<Chains, 'roll' | 'chain' | 'chains' | 'scan' | 'firstStray'>;
type Writing = Omit<Chains, keyof Reading>;

export function createAuditChains(store: Store): Chains {
  return { ...createReading(store), ...createWriting(store) };
}

function createReading({ db, tables }: Store): Reading {
  const { audit_chains, audit_entries, audit_roll } = tables;

  return {
    async roll() {
      const { chains, signature } = audit_roll;
      const [row] = await db.select({ chains, signature }).from(audit_roll);
      return row;
    },

    async chain(id) {
      const [row] = await db.select().from(audit_chains).where(eq(audit_chains.id, id));
      return row;
    },

    chains: () => db.select().from(audit_chains).orderBy(asc(audit_chains.number)),

    async scan(chain_id, after_seq, limit) {
      const rows = await db
        .select()
        .from(audit_entries)
        .where(and(eq(audit_entries.chain_id, chain_id), gt(audit_entries.seq, after_seq)))
        .orderBy(asc(audit_entries.seq))
        .limit(limit);
      return rows.map(({ username_key, search_key, facets, ...row }) => ({
        ...row,
        is_findable: isSame({ username_key, search_key, facets }, findingKeys(row)),
      }));
    },

    async firstStray() {
      // Skips from chain to chain in the index on (chain_id, seq), then reads behind each head, never all entries.
      const first = (misplaced: SQL) => sql`(
        select min(entry.id + 0) from ${audit_entries} as entry where entry.chain_id = named.id and ${misplaced}
      )`;
      const strays = sql`(
        with recursive named (id) as (
          select min(chain_id) from ${audit_entries}
          union all
          select (select min(later.chain_id) from ${audit_entries} as later where later.chain_id > named.id)
          from named where named.id is not null
        )
        select ${first(sql`entry.seq < 1`)} as before, ${first(sql`entry.seq > coalesce(head.entries, -1)`)} as behind
        from named left join ${audit_chains} as head on head.id = named.id
      ) as strays`;
      const [row] = await db
        .select({
          before: sql<number | null>`min(strays.before)`,
          behind: sql<number | null>`min(strays.behind)`,
        })
        .from(strays);
      const found = [row?.before, row?.behind].filter((id) => typeof id === 'number');
      return found.length > 0 ? Math.min(...found) : undefined;
    },
  };
}

function createWriting(store: Store): Writing {
  const { batch, db, together, tables } = store;
  const { audit_chains, audit_entries, audit_roll, audit_spooled } = tables;

  return {
    async openChain(chain, roll) {
      try {
        await batch((db) => [
          db.insert(audit_chains).values(chain),
          db
            .insert(audit_roll)
            .values({ id: 1, ...roll })
            .onConflictDoUpdate({ target: audit_roll.id, set: roll }),
        ]);
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },

    async append(entries, { id, ...head }, events = [], keys = []) {
      const rows = entries.map((entry: NewAuditRow) => ({ ...entry, ...findingKeys(entry) }));
      const parts = inChunks(rows);
      const deliveries = delivering(store, events.map(toFired));
      const sureOf = rows.length > 0 ? headLooker(store, id, head.last_hash) : plainly;
      const writes = (db: Db) => [
        ...parts.map((part) => db.insert(audit_entries).values(part)),
        ...inChunks(keys).map((part) => db.insert(audit_spooled).values(part)),
        db.update(audit_chains).set(head).where(eq(audit_chains.id, id)),
        ...deliveries,
      ];
      if (parts.length <= 1 && deliveries.length <= 1) {
        const written = await sureOf(() => together(writes));
        return deliveries.length > 0 && written > 0;
      }
      await batch(writes); // their ids must be in the order of the entries, which several inserts in one statement need not be
      return deliveries.length > 0;
    },

    async makeFindable(rows) {
      for (const row of rows) await batch((db) => rewriting(store, db, row)); // one by one: on SQLite a write blocks the event loop
    },

    async resign({ id, entries, last_hash, signature: before }, signature) {
      const same = and(
        eq(audit_chains.id, id),
        eq(audit_chains.entries, entries),
        eq(audit_chains.last_hash, last_hash),
        eq(audit_chains.signature, before),
      );
      const changed = db.update(audit_chains).set({ signature }).where(same);
      return (await changed.returning({ id: audit_chains.id })).length > 0;
    },

    async resignRoll({ chains, signature: before }, signature) {
      const same = and(eq(audit_roll.chains, chains), eq(audit_roll.signature, before));
      const changed = db.update(audit_roll).set({ signature }).where(same);
      return (await changed.returning({ id: audit_roll.id })).length > 0;
    },
  };
}

const MOST_ATTEMPTS = 3;
const plainly = (write: () => Promise<number>) => write();

/** Looks at the head of the chain when the answer to a write is lost, and repeats the write if it was not stored. */
function headLooker({ db, tables: { audit_chains } }: Store, id: string, last_hash: string) {
  const its = eq(audit_chains.id, id);
  return async (write: () => Promise<number>): Promise<number> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await write();
      } catch (error) {
        if (!isLost(error) || attempts === MOST_ATTEMPTS) throw error;
      }
      // Waits for the lost write, if the database still runs it.
      const unchanged = { entries: sql`${audit_chains.entries}` };
      const [head] = await db.update(audit_chains).set(unchanged).where(its).returning();
      if (head?.last_hash === last_hash) return 1;
    }
  };
}

/**
 * The search index keeps the trigrams of the former keys: deleting what the columns say now would damage it if they were
 * changed without it. Matches are checked again.
 */
function rewriting({ dialect, tables: { audit_entries } }: Store, db: Db, row: ScannedAuditRow) {
  const its = eq(audit_entries.id, row.id);
  return [
    db.update(audit_entries).set(findingKeys(row)).where(its),
    ...(dialect === 'sqlite'
      ? [
          sql`insert into audit_search (rowid, search_key, facets)
            select id, search_key, facets from ${audit_entries} where ${its}`,
        ]
      : []),
  ];
}

type FindingKeys = ReturnType<typeof findingKeys>;

/** The columns used by filters. */
export function findingKeys(entry: AuditRecord) {
  const username_key = toUsernameKey(entry.username);
  return {
    username_key,
    search_key: toSearchKey(entry),
    facets: toFacets(username_key, entry.action),
  };
}

function isSame(a: FindingKeys, b: FindingKeys): boolean {
  return a.username_key === b.username_key && a.search_key === b.search_key && a.facets === b.facets;
}
