import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import type { WebSessionRepository } from '#core/ports/repositories/accounts.ts';
import { isNullViolation } from '../../driver-errors.ts';
import { forChunks } from '../../query/chunks.ts';
import { orFault } from '../../query/or-fault.ts';
import { rowSource } from '../../query/row-source.ts';
import type { Store } from '../../store.ts';
import { userColumns } from './user-columns.ts';

export function createWebSessionRepository(store: Store): WebSessionRepository {
  return { ...createReading(store), ...createBeginning(store), ...createWriting(store) };
}

const NO_LIMIT = 2_147_483_647;

type Reading = Pick<WebSessionRepository, 'active' | 'standing' | 'ofUser'>;
type Beginning = Pick<WebSessionRepository, 'begin'>;
type Writing = Omit<WebSessionRepository, keyof Reading | keyof Beginning>;

function createReading({ db, prepared, tables: { sessions, users } }: Store): Reading {
  const session = getTableColumns(sessions);
  const user = userColumns(users);
  const expires_at = sql<
    string | null
  >`case when ${sessions.embed} is not null then ${sessions.expires_at} end`.mapWith(sessions.expires_at);
  const ofEnabledUser = and(eq(users.id, sessions.user_id), eq(users.disabled, false));

  const active = prepared((on) =>
    on
      .select({ session, user })
      .from(sessions)
      .innerJoin(users, ofEnabledUser)
      .where(and(eq(sessions.id, sql.placeholder('id')), gt(sessions.expires_at, sql.placeholder('now')))),
  );

  return {
    async active(id, now) {
      const [found] = await active({ id, now });
      return found;
    },

    standing: (ids, now) =>
      forChunks(ids, (part) =>
        db
          .select({ id: sessions.id, user, expires_at })
          .from(sessions)
          .innerJoin(users, ofEnabledUser)
          .where(and(inArray(sessions.id, part), or(isNull(sessions.embed), gt(sessions.expires_at, now)))),
      ),

    ofUser: (user_id, now) =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.user_id, user_id), gt(sessions.expires_at, now)))
        .orderBy(desc(sessions.last_seen_at), desc(sessions.created_at), sessions.id),
  };
}

function createBeginning({ db, dialect, tables: { sessions, users } }: Store): Beginning {
  const columns = getTableColumns(sessions);
  const given = Object.keys(columns).map((name) => sql`given.${sql.identifier(name)}`);
  // Locked until the session is stored: a later password change then removes the session.
  const locked = sql.raw(dialect === 'postgres' ? 'for share of users' : '');

  return {
    async begin(row, password_hash) {
      const unchanged = sql`${users.password_hash} is not distinct from ${password_hash}`;
      const insertion = sql`select ${sql.join(given, sql`, `)} from (${rowSource(dialect, columns, [row])}) as given
        join ${users} on ${users.id} = given.user_id where ${eq(users.disabled, false)} and ${unchanged} ${locked}`;
      const begun = await db.insert(sessions).select(insertion).returning({ id: sessions.id });
      if (begun.length === 0) throw new Fault('invalid_credentials');
      const { user_id, created_at: last_sign_in_at } = row;
      await db.update(users).set({ last_sign_in_at }).where(eq(users.id, user_id));
    },
  };
}

function createWriting(store: Store): Writing {
  const {
    db,
    alone,
    tables: { sessions },
  } = store;
  return {
    async insert(row) {
      await orFault('invalid_credentials', db.insert(sessions).values(row)); // deleted in the meantime
    },

    async insertEmbed(row, limit) {
      const { user_id: owner, created_at } = row;
      const held = sql`(select count(*) from ${sessions} as own where own.user_id = ${owner} and own.embed is not null and own.expires_at > ${created_at})`;
      // At the limit the owner becomes null, which the column rejects.
      const user_id = sql`case when ${held} < ${limit ?? NO_LIMIT} then cast(${owner} as integer) end`;
      // Locked, because two concurrent inserts would not count each other's row.
      const insertion = alone(`embedded sessions of ${owner}`, (locked) =>
        locked
          .insert(sessions)
          .values({ ...row, user_id })
          .returning({ id: sessions.id }),
      );
      const refused = orFault('too_many_embeds', insertion, isNullViolation);
      await orFault('invalid_ticket', refused); // deleted in the meantime
    },

    async touch(id, last_seen_at) {
      await db.update(sessions).set({ last_seen_at }).where(eq(sessions.id, id));
    },

    async refresh(id, fresh_until) {
      const refreshed = db.update(sessions).set({ fresh_until }).where(eq(sessions.id, id));
      return (await refreshed.returning({ id: sessions.id })).length > 0;
    },

    async extend(id, now, expires_at) {
      const extended = db
        .update(sessions)
        .set({ expires_at, last_seen_at: now })
        .where(and(eq(sessions.id, id), isNotNull(sessions.embed), gt(sessions.expires_at, now)));
      return (await extended.returning({ id: sessions.id })).length > 0;
    },

    async expireUnreachable({ user_id, server_id }, now) {
      const concerned = and(
        isNotNull(sessions.embed),
        gt(sessions.expires_at, now),
        user_id === undefined ? undefined : eq(sessions.user_id, user_id),
        server_id === undefined ? undefined : eq(embeddedServer(store), server_id),
      );
      await db
        .update(sessions)
        .set({ expires_at: now })
        .where(and(concerned, notExists(reaching(store))));
    },

    async remove(user_id, id) {
      const own = and(eq(sessions.user_id, user_id), eq(sessions.id, id));
      const [removed] = await db.delete(sessions).where(own).returning();
      return removed;
    },

    async removeOfUser(user_id) {
      const removed = db.delete(sessions).where(eq(sessions.user_id, user_id));
      return (await removed.returning({ id: sessions.id })).length;
    },

    async removeOthers(user_id, kept_id) {
      const others = and(eq(sessions.user_id, user_id), ne(sessions.id, kept_id));
      return (await db.delete(sessions).where(others).returning({ id: sessions.id })).length;
    },

    async removeExpired(before) {
      // Deleting what minted an embedded session deletes that too, before anybody has recorded its end.
      const minters = db
        .select({ id: sessions.minted_session_id })
        .from(sessions)
        .where(isNotNull(sessions.minted_session_id));
      const expired = and(isNull(sessions.embed), lt(sessions.expires_at, before));
      await db.delete(sessions).where(and(expired, notInArray(sessions.id, minters)));
    },

    takeExpiredEmbeds: (now) =>
      db
        .delete(sessions)
        .where(and(isNotNull(sessions.embed), lte(sessions.expires_at, now)))
        .returning(),
  };
}

function embeddedServer({ tables: { sessions } }: Store): SQL {
  return sql`cast(${sessions.embed} ->> 'server_id' as integer)`;
}

/** The user and the server of an embedded session, if the one reaches the other. */
function reaching(store: Store) {
  const { db, dialect, tables } = store;
  const { sessions, users, servers } = tables;
  const has_group =
    dialect === 'sqlite'
      ? sql`exists (select 1 from json_each(${users.allowed_groups}) where value = ${servers.group})`
      : sql`jsonb_exists(${users.allowed_groups}, ${servers.group})`;
  return db
    .select({ id: users.id })
    .from(users)
    .innerJoin(servers, eq(servers.id, embeddedServer(store)))
    .where(and(eq(users.id, sessions.user_id), or(eq(users.is_admin, true), has_group)));
}
