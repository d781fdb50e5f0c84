import { and, eq, gt, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { toUsernameKey } from '#core/model/accounts/user.ts';
import type { LockoutRepository } from '#core/ports/repositories/accounts.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

type Attempt = Parameters<LockoutRepository['attempt']>[0];

export function createLockoutRepository(store: Store): LockoutRepository {
  return { ...createAttempts(store), ...createLocks(store) };
}

function createAttempts({ db, tables: { lockouts } }: Store): Pick<LockoutRepository, 'attempt'> {
  /** Counts the attempt; undefined if the name is locked. */
  async function count(input: Attempt) {
    const { username, now, first_lock, locks } = input;
    const failures = sql`${lockouts.failures} + 1`;
    const [row] = await db
      .insert(lockouts)
      .values({
        username_key: toUsernameKey(username),
        failures: 1,
        locked_until: first_lock <= 1 ? (locks[0] ?? null) : null,
        last_attempt_at: now,
      })
      .onConflictDoUpdate({
        target: lockouts.username_key,
        set: { failures, locked_until: lockFor(lockouts, failures, input), last_attempt_at: now },
        setWhere: sql`(${lockouts.locked_until} is null or ${lte(lockouts.locked_until, now)})`,
      })
      .returning({ locked_until: lockouts.locked_until });
    return row;
  }

  async function attempt(input: Attempt): ReturnType<LockoutRepository['attempt']> {
    const counted = await count(input);
    if (counted) return { allowed: true, ...counted };
    const named = eq(lockouts.username_key, toUsernameKey(input.username));
    const locked = and(named, gt(lockouts.locked_until, input.now));
    const [row] = await db.select({ locked_until: lockouts.locked_until }).from(lockouts).where(locked);
    return row ? { allowed: false, ...row } : await attempt(input); // the lock was cleared in the meantime
  }

  return { attempt };
}

function createLocks({ db, tables: { lockouts } }: Store): Omit<LockoutRepository, 'attempt'> {
  const named = (username: string) => eq(lockouts.username_key, toUsernameKey(username));

  return {
    async undo(username, locked_until) {
      const kept = lockouts.locked_until;
      const lifted =
        locked_until === null ? kept : sql`case when ${eq(kept, locked_until)} then null else ${kept} end`;
      await db
        .update(lockouts)
        .set({ failures: sql`${lockouts.failures} - 1`, locked_until: sql`${lifted}` })
        .where(and(named(username), gt(lockouts.failures, 0)));
    },

    async locked(now) {
      const { username_key, locked_until } = lockouts;
      const rows = await db
        .select({ username_key, locked_until })
        .from(lockouts)
        .where(gt(locked_until, now));
      return rows.flatMap((row) =>
        row.locked_until === null ? [] : [{ ...row, locked_until: row.locked_until }],
      );
    },

    async clear(username) {
      await db.delete(lockouts).where(named(username));
    },

    async removeStale(before) {
      const unlocked = or(isNull(lockouts.locked_until), lt(lockouts.locked_until, before));
      await db.delete(lockouts).where(and(lt(lockouts.last_attempt_at, before), unlocked));
    },
  };
}

function lockFor(lockouts: Tables['lockouts'], failures: SQL, { first_lock, locks }: Attempt): SQL {
  const lock = (until: string | undefined) => sql.param(until ?? null, lockouts.locked_until);
  const steps = locks.map((until, i) => sql`when ${failures} = ${first_lock + i} then ${lock(until)}`);
  // `excluded.locked_until` is null here; it tells PostgreSQL the type of the other branches.
  const none = sql`when ${failures} < ${first_lock} then excluded.locked_until`;
  return sql`case ${none} ${sql.join(steps, sql` `)} else ${lock(locks.at(-1))} end`;
}
