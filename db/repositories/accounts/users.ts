import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { ExternalSource } from '#core/model/accounts/external-identity.ts';
import { toUsernameKey } from '#core/model/accounts/user.ts';
import type { UserRepository } from '#core/ports/repositories/accounts.ts';
import { isUniqueViolation } from '../../driver-errors.ts';
import { orFault } from '../../query/or-fault.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';
import { createAdministrators } from './administrators.ts';
import { userColumns } from './user-columns.ts';

export function createUserRepository(store: Store): UserRepository {
  return {
    ...createReading(store),
    ...createInserting(store),
    ...createAdministrators(store),

    async setPassword(id, password_hash, { must_change_password, instead_of }) {
      const { users } = store.tables;
      const change = { password_hash, must_change_password };
      const is_still =
        instead_of === undefined
          ? undefined
          : instead_of === null
            ? isNull(users.password_hash)
            : eq(users.password_hash, instead_of);
      const changed = store.db
        .update(users)
        .set(change)
        .where(and(eq(users.id, id), is_still));
      const [row] = await changed.returning(userColumns(users));
      return row;
    },

    async rename(id, username) {
      const { users } = store.tables;
      const change = { username, username_key: toUsernameKey(username) };
      const renamed = store.db.update(users).set(change).where(eq(users.id, id)).returning({ id: users.id });
      try {
        return (await renamed).length > 0;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
  };
}

function isBound(users: Store['tables']['users'], { kind }: ExternalSource, subject: string): SQL {
  switch (kind) {
    case 'ldap':
      return eq(users.directory_id, subject);
  }
}

/** The columns that bind a new account to its subject. */
function bindingOf({ kind }: ExternalSource, subject: string) {
  switch (kind) {
    case 'ldap':
      return { directory_id: subject };
  }
}

type Reading = Pick<UserRepository, 'byName' | 'byId' | 'bySubject' | 'list' | 'count'>;

function createReading({ db, dialect, tables: { users } }: Store): Reading {
  const columns = userColumns(users);

  return {
    async byName(username) {
      const [row] = await db
        .select(columns)
        .from(users)
        .where(eq(users.username_key, toUsernameKey(username)));
      return row;
    },

    async byId(id) {
      const [row] = await db.select(columns).from(users).where(eq(users.id, id));
      return row;
    },

    async bySubject(source, subject) {
      const [row] = await db
        .select(columns)
        .from(users)
        .where(isBound(users, source, subject));
      return row;
    },

    async list(paging) {
      const by_name = dialect === 'postgres' ? sql`${users.username_key} collate "C"` : users.username_key;
      const { last_sign_in_at } = users;
      const all = db
        .select({ ...columns, last_sign_in_at })
        .from(users)
        .orderBy(by_name);
      return await (paging ? all.limit(paging.limit).offset(paging.offset) : all);
    },

    async count() {
      const total = sql`count(*)`.mapWith(Number);
      return onlyRow(await db.select({ total }).from(users)).total;
    },
  };
}

type Inserting = Pick<UserRepository, 'insert' | 'insertFirst' | 'insertExternal'>;

function createInserting({ db, tables: { users } }: Store): Inserting {
  const columns = userColumns(users);

  return {
    async insert(row) {
      const username_key = toUsernameKey(row.username);
      const statement = db
        .insert(users)
        .values({ ...row, username_key })
        .returning(columns);
      return onlyRow(await orFault('username_taken', statement, isUniqueViolation));
    },

    async insertFirst(row) {
      // An existing key makes the insert conflict. Of two concurrent inserts into the empty table, neither sees
      // the other's row, so the unique `is_default_admin` decides.
      const key = sql.param(toUsernameKey(row.username), users.username_key);
      const username_key = sql`coalesce((select min(${users.username_key}) from ${users}), ${key})`;
      const [inserted] = await db
        .insert(users)
        .values({ ...row, username_key, is_default_admin: true })
        .onConflictDoNothing()
        .returning(columns);
      return inserted;
    },

    async insertExternal(source, { subject, ...account }) {
      const bound = { source: source.kind, ...bindingOf(source, subject) };
      const [inserted] = await db
        .insert(users)
        .values({ ...NEW_EXTERNAL_USER, ...bound, ...account, username_key: toUsernameKey(account.username) })
        .onConflictDoNothing()
        .returning(columns);
      return inserted;
    },
  };
}

const NEW_EXTERNAL_USER = {
  password_hash: null,
  disabled: false,
  must_change_password: false,
  totp_enabled: false,
} as const;
