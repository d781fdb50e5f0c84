import { and, eq, isNull, lt, or, type SQL } from 'drizzle-orm';
import type { SecondFactorRepository } from '#core/ports/repositories/accounts.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

type Change = Partial<Tables['users']['$inferInsert']>;

export function createSecondFactorRepository({ db, tables: { users } }: Store): SecondFactorRepository {
  async function change(user_id: number, set: Change, condition?: SQL): Promise<boolean> {
    const changed = db
      .update(users)
      .set(set)
      .where(and(eq(users.id, user_id), condition));
    return (await changed.returning({ id: users.id })).length > 0;
  }

  return {
    async of(user_id) {
      const { totp_enabled, totp_secret_sealed, totp_last_step, recovery_digests } = users;
      const columns = { totp_enabled, totp_secret_sealed, totp_last_step, recovery_digests };
      const [row] = await db.select(columns).from(users).where(eq(users.id, user_id));
      return row && { ...row, recovery_digests: row.recovery_digests ?? [] };
    },

    begin: (user_id, totp_secret_sealed) =>
      change(user_id, { totp_secret_sealed }, eq(users.totp_enabled, false)),

    enable(user_id, { totp_secret_sealed, step, recovery_digests }) {
      const set = { totp_enabled: true, totp_last_step: step, recovery_digests: [...recovery_digests] };
      const waiting = eq(users.totp_secret_sealed, totp_secret_sealed);
      return change(user_id, set, and(eq(users.totp_enabled, false), waiting));
    },

    async clear(user_id) {
      const nothing = { totp_secret_sealed: null, totp_last_step: null, recovery_digests: null };
      await change(user_id, { totp_enabled: false, ...nothing });
    },

    takeStep(user_id, step) {
      const later = or(isNull(users.totp_last_step), lt(users.totp_last_step, step));
      return change(user_id, { totp_last_step: step }, and(eq(users.totp_enabled, true), later));
    },

    replaceRecovery: (user_id, before, after) =>
      change(user_id, { recovery_digests: [...after] }, eq(users.recovery_digests, [...before])),
  };
}
