import { and, eq, gt, lt, lte, sql } from 'drizzle-orm';
import type { PendingSignInRepository } from '#core/ports/repositories/accounts.ts';
import { orFault } from '../../query/or-fault.ts';
import type { Store } from '../../store.ts';
import { userColumns } from './user-columns.ts';

const TRIES = 5;

export function createPendingSignInRepository({
  db,
  tables: { pending_sign_ins, users },
}: Store): PendingSignInRepository {
  const { id: key, user_id: owner, tries, expires_at } = pending_sign_ins;
  const open = (id: string, now: string) => and(eq(key, id), gt(expires_at, now), lt(tries, TRIES));

  return {
    async insert(row) {
      await orFault('invalid_credentials', db.insert(pending_sign_ins).values({ ...row, tries: 0 })); // deleted in the meantime
    },

    async active(id, now) {
      const [user] = await db
        .select(userColumns(users))
        .from(pending_sign_ins)
        .innerJoin(users, and(eq(users.id, owner), eq(users.disabled, false)))
        .where(open(id, now));
      return user;
    },

    async try(id, now) {
      const counted = db
        .update(pending_sign_ins)
        .set({ tries: sql`${tries} + 1` })
        .where(open(id, now));
      return (await counted.returning({ id: key })).length > 0;
    },

    async take(id) {
      const taken = db.delete(pending_sign_ins).where(eq(key, id));
      return (await taken.returning({ id: key })).length > 0;
    },

    async removeOfUser(user_id) {
      await db.delete(pending_sign_ins).where(eq(owner, user_id));
    },

    async removeExpired(now) {
      await db.delete(pending_sign_ins).where(lte(expires_at, now));
    },
  };
}
