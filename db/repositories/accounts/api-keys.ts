import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNull,
  lt,
  or,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import type { ApiKeyRepository } from '#core/ports/repositories/accounts.ts';
import { forChunks } from '../../query/chunks.ts';
import { orFault } from '../../query/or-fault.ts';
import type { Store } from '../../store.ts';
import { userColumns } from './user-columns.ts';

export function createApiKeyRepository(store: Store): ApiKeyRepository {
  return { ...createReading(store), ...createWriting(store) };
}

type Reading = Pick<ApiKeyRepository, 'ofUser' | 'active' | 'activeById' | 'standing'>;
type Writing = Omit<ApiKeyRepository, keyof Reading>;

function createReading({ db, prepared, tables: { api_keys, users } }: Store): Reading {
  const key = getTableColumns(api_keys);
  const user = userColumns(users);
  const ofEnabledUser = and(eq(users.id, api_keys.user_id), eq(users.disabled, false));

  const unexpired = (now: string | Placeholder) =>
    or(isNull(api_keys.expires_at), gt(api_keys.expires_at, now));

  const activeWhere = (condition: SQL | undefined) =>
    prepared((on) =>
      on
        .select({ key, user })
        .from(api_keys)
        .innerJoin(users, ofEnabledUser)
        .where(and(condition, unexpired(sql.placeholder('now')))),
    );
  const byDigest = activeWhere(
    and(
      eq(api_keys.key_prefix, sql.placeholder('key_prefix')),
      eq(api_keys.key_digest, sql.placeholder('key_digest')),
    ),
  );
  const byId = activeWhere(eq(api_keys.id, sql.placeholder('id')));

  return {
    ofUser: (user_id) =>
      db
        .select()
        .from(api_keys)
        .where(eq(api_keys.user_id, user_id))
        .orderBy(desc(api_keys.created_at), desc(api_keys.id)),

    async active(key_prefix, key_digest, now) {
      const [found] = await byDigest({ key_prefix, key_digest, now });
      return found;
    },

    async activeById(id, now) {
      const [found] = await byId({ id, now });
      return found;
    },

    standing: (ids, now) =>
      forChunks(ids, (part) =>
        db
          .select({ id: api_keys.id, user, expires_at: api_keys.expires_at })
          .from(api_keys)
          .innerJoin(users, ofEnabledUser)
          .where(and(inArray(api_keys.id, part), unexpired(now))),
      ),
  };
}

function createWriting({ db, alone, tables: { api_keys } }: Store): Writing {
  return {
    async insert(row, limit) {
      // At the limit, the digest of an existing key of the user makes the insert conflict.
      const taken = sql`(select min(own.key_digest) from ${api_keys} as own
        where own.user_id = ${row.user_id} having count(*) >= ${limit})`;
      const key_digest = sql`coalesce(${taken}, ${sql.param(row.key_digest, api_keys.key_digest)})`;
      // Locked, because two concurrent inserts would not count each other's row.
      const insertion = alone(`api keys of ${row.user_id}`, (locked) =>
        locked
          .insert(api_keys)
          .values({ ...row, key_digest })
          .onConflictDoNothing()
          .returning(),
      );
      const [inserted] = await orFault('invalid_token', insertion); // deleted in the meantime
      if (!inserted) throw new Fault('too_many_keys');
      return inserted;
    },

    async touch(id, last_used_at, unless_since) {
      const isDue = or(isNull(api_keys.last_used_at), lt(api_keys.last_used_at, unless_since));
      await db
        .update(api_keys)
        .set({ last_used_at })
        .where(and(eq(api_keys.id, id), isDue));
    },

    async remove(user_id, id) {
      const own = and(eq(api_keys.user_id, user_id), eq(api_keys.id, id));
      const [removed] = await db.delete(api_keys).where(own).returning();
      return removed;
    },
  };
}
