import { and, desc, eq, getTableColumns, isNotNull, isNull, ne, not, or, type SQL, sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import type { TerminalSessionRow } from '#core/model/terminal.ts';
import type { TerminalSessionRepository } from '#core/ports/repositories/terminals.ts';
import { CLOCKS } from '../../query/clocks.ts';
import { fieldList, rowSource } from '../../query/row-source.ts';
import type { Store } from '../../store.ts';
import { isKnown } from '../instances/known.ts';

export function createTerminalSessionRepository(store: Store): TerminalSessionRepository {
  return { ...createReading(store), ...createInserting(store), ...createWriting(store) };
}

type Reading = Pick<TerminalSessionRepository, 'list' | 'home' | 'homeOfShare'>;
type Inserting = Pick<TerminalSessionRepository, 'insert'>;
type Writing = Omit<TerminalSessionRepository, keyof Reading | keyof Inserting>;

/** A keeper may hold it for another instance to continue. */
function isKept({ dialect, tables: { terminal_sessions: sessions } }: Store) {
  const { kept_ms, kept_until } = sessions;
  const is_waiting = or(isNull(kept_until), sql`${kept_until} > ${CLOCKS[dialect].now}`);
  return and(isNotNull(kept_ms), is_waiting);
}

function isOwned(store: Store) {
  return sql`(${or(isKnown(store, store.tables.terminal_sessions.run_id), isKept(store))})`;
}

function createReading(store: Store): Reading {
  const { db, tables } = store;
  const { terminal_sessions: sessions, instances } = tables;
  const is_owned = isOwned(store);

  async function homeWhere(condition: SQL) {
    const { run_id, url, machine, proof } = instances;
    const [found] = await db
      .select({ home: { run_id, url, machine, proof }, kept_ms: sessions.kept_ms })
      .from(sessions)
      .leftJoin(instances, eq(run_id, sessions.run_id))
      .where(and(condition, is_owned));
    if (!found) return undefined;
    return found.home ? { ...found.home, is_kept: found.kept_ms !== null } : 'kept';
  }

  return {
    list: (user_id) =>
      db
        .select()
        .from(sessions)
        .where(
          and(
            isNotNull(sessions.started_at),
            eq(sessions.over, false),
            user_id === undefined ? undefined : eq(sessions.user_id, user_id),
            is_owned,
          ),
        )
        .orderBy(desc(sessions.started_at), sessions.id),

    home: (id) => homeWhere(eq(sessions.id, id)),
    homeOfShare: (share_digest) => homeWhere(eq(sessions.share_digest, share_digest)),
  };
}

function createInserting(store: Store): Inserting {
  const { db, dialect, alone } = store;
  const { terminal_sessions: sessions } = store.tables;
  const is_owned = isOwned(store);
  const columns = getTableColumns(sessions);

  const active = (counted: SQL | undefined) =>
    db
      .select({ count: sql<number>`count(*)`.mapWith(Number) })
      .from(sessions)
      .where(and(counted, eq(sessions.over, false), is_owned));
  const below = (limit: number, counted: SQL | undefined) => sql`(${active(counted)}) < ${limit}`;

  async function insertBelow(conditions: readonly SQL[], row: TerminalSessionRow): Promise<boolean> {
    const insertion = sql`select ${fieldList(columns)} from (${rowSource(dialect, columns, [row])}) as given
      where ${and(...conditions)}`;
    // Locked, because two concurrent inserts would not count each other's row.
    const inserted = await alone(`terminals of ${row.user_id}`, (locked) =>
      locked.insert(sessions).select(insertion).returning({ id: sessions.id }),
    );
    return inserted.length > 0;
  }

  return {
    async insert(row, limits) {
      const { sessions: most_sessions = Infinity, dials: most_dials = Infinity } = limits;
      const own = eq(sessions.user_id, row.user_id);
      const dials = and(own, isNull(sessions.server_id), isNull(sessions.started_at));
      const conditions = [
        ...(most_sessions === Infinity ? [] : [below(most_sessions, own)]),
        ...(most_dials === Infinity ? [] : [below(most_dials, dials)]),
      ];
      if (conditions.length === 0) await db.insert(sessions).values(row);
      else if (!(await insertBelow(conditions, row))) {
        const [held] = await active(own);
        throw new Fault(held && held.count >= most_sessions ? 'too_many_sessions' : 'too_many_dials');
      }
    },
  };
}

function createWriting(store: Store): Writing {
  const { db, dialect } = store;
  const { terminal_sessions: sessions } = store.tables;
  const is_known = isKnown(store, sessions.run_id);
  const is_owned = isOwned(store);
  const { id } = sessions;
  const columns = getTableColumns(sessions);
  const news = {
    last_activity: sql`excluded.last_activity`,
    participants: sql`excluded.participants`,
    recording: sql`excluded.recording`,
    share_digest: sql`excluded.share_digest`,
    kept_ms: sql`excluded.kept_ms`,
    kept_until: sql`excluded.kept_until`,
  };

  return {
    async begin(session_id, begun) {
      await db.update(sessions).set(begun).where(eq(id, session_id));
    },

    async refresh(rows) {
      if (rows.length === 0) return;
      const given = sql`select ${fieldList(columns)} from (${rowSource(dialect, columns, rows)}) as given
        where true`; // else SQLite would take `on` for a join
      await db.insert(sessions).select(given).onConflictDoUpdate({ target: id, set: news });
    },

    async adopt(row) {
      const { id: _id, ...values } = row;
      await db.insert(sessions).values(row).onConflictDoUpdate({ target: id, set: values });
    },

    async setShare(session_id, share_digest) {
      await db.update(sessions).set({ share_digest }).where(eq(id, session_id));
    },

    async finish(session_id) {
      await db.update(sessions).set({ over: true, share_digest: null }).where(eq(id, session_id));
    },

    async remove(session_id) {
      await db.delete(sessions).where(eq(id, session_id));
    },

    async removeOrphans(run_id) {
      const is_foreign = ne(sessions.run_id, run_id);
      const { kept_ms, kept_until } = sessions;
      await db
        .update(sessions)
        .set({ kept_until: CLOCKS[dialect].after(kept_ms) })
        .where(and(is_foreign, not(is_known), isNotNull(kept_ms), isNull(kept_until)));
      return db
        .delete(sessions)
        .where(and(is_foreign, not(is_owned)))
        .returning();
    },
  };
}
