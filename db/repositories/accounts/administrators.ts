import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import type { UserRepository, UserRowPatch } from '#core/ports/repositories/accounts.ts';
import type { Store } from '../../store.ts';
import { userColumns } from './user-columns.ts';

type Administrators = Pick<UserRepository, 'update' | 'remove'>;

/** Changes that could remove the last administrator; locked, so that concurrent changes see each other. */
export function createAdministrators({ db, alone, tables: { users } }: Store): Administrators {
  const columns = userColumns(users);
  const isNotDefault = isNull(users.is_default_admin);

  /** The row is not an enabled administrator, or there is another one. */
  const leavesOne = (id: number) => sql`(not ${users.is_admin} or ${users.disabled} or exists (
    select 1 from ${users} as other where other.id <> ${id} and other.is_admin and not other.disabled
  ))`;

  async function change(on: Pick<Store['db'], 'update'>, id: number, patch: UserRowPatch, condition?: SQL) {
    // Drizzle rejects an empty update, so the id is set to itself.
    const changed = on.update(users).set({ id, ...patch });
    const [row] = await changed.where(and(eq(users.id, id), condition)).returning(columns);
    return row;
  }

  /** Explains why nothing changed; returns if the user does not exist. */
  async function assertGone(id: number, guarded: 'default' | 'any'): Promise<void> {
    const [row] = await db.select(columns).from(users).where(eq(users.id, id));
    if (!row) return;
    throw new Fault(guarded === 'default' && row.is_default_admin ? 'protected_account' : 'last_admin');
  }

  return {
    async update(id, patch) {
      const demotes = patch.is_admin === false;
      if (!demotes && patch.disabled !== true) return await change(db, id, patch);
      const allowed = and(demotes ? isNotDefault : undefined, leavesOne(id));
      const row = await alone('admins', (locked) => change(locked, id, patch, allowed));
      if (!row) await assertGone(id, demotes ? 'default' : 'any');
      return row;
    },

    async remove(id) {
      const allowed = and(eq(users.id, id), isNotDefault, leavesOne(id));
      const removed = await alone('admins', (locked) =>
        locked.delete(users).where(allowed).returning({ id: users.id }),
      );
      if (removed.length === 0) await assertGone(id, 'default');
      return removed.length > 0;
    },
  };
}
