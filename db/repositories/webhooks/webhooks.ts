import { setImmediate as breathe } from 'node:timers/promises';
import { and, eq, getTableColumns, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import { alphabetical } from '#core/lib/text/alphabetical.ts';
import type { WebhookRepository } from '#core/ports/repositories/webhooks.ts';
import { isNullViolation } from '../../driver-errors.ts';
import { orFault } from '../../query/or-fault.ts';
import { reserving } from '../../query/reserve-ids.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';

export function createWebhookRepository(store: Store): WebhookRepository {
  const { db, alone, tables } = store;
  const { webhooks } = tables;
  const columns = webhookColumns(webhooks);

  return {
    reserveIds: reserving(store, 'webhooks'),

    async list() {
      const rows = await db.select(columns).from(webhooks);
      return rows.sort((a, b) => alphabetical(a.name, b.name) || a.id - b.id);
    },

    async byId(id) {
      const [row] = await db.select(columns).from(webhooks).where(eq(webhooks.id, id));
      return row;
    },

    async insert(row, limit) {
      const held = sql`(select count(*) from ${webhooks} as other)`;
      // At the limit `enabled` becomes null, which the column rejects.
      const enabled = sql`case when ${held} < ${limit} then ${row.enabled ? sql`true` : sql`false`} end`;
      // Locked, because two concurrent inserts would not count each other's row.
      const insertion = alone('webhooks', (locked) =>
        locked
          .insert(webhooks)
          .values({ ...row, subscription: subscriptionOf(row.events), enabled })
          .returning(columns),
      );
      return onlyRow(await orFault('too_many_webhooks', insertion, isNullViolation));
    },

    async update(id, patch, secret_before) {
      const { secret_sealed } = webhooks;
      const expected =
        secret_before === null ? isNull(secret_sealed) : eq(secret_sealed, secret_before ?? '');
      const unchanged = secret_before === undefined ? undefined : expected;
      const subscription = patch.events ? { subscription: subscriptionOf(patch.events) } : {};
      // Drizzle rejects an empty update, so the id is set to itself.
      const changed = db.update(webhooks).set({ id, ...patch, ...subscription });
      const [row] = await changed.where(and(eq(webhooks.id, id), unchanged)).returning(columns);
      if (row && patch.enabled === false) await giveUpWaiting(store, id);
      return row;
    },

    async remove(id) {
      await db.update(webhooks).set({ enabled: false }).where(eq(webhooks.id, id));
      await removeDeliveries(store, id);
      const removed = db.delete(webhooks).where(eq(webhooks.id, id)).returning({ id: webhooks.id });
      return (await removed).length > 0;
    },
  };
}

const AT_ONCE = 5000; // SQLite blocks the file and our thread for that long

/** Deletes deliveries in chunks; the cascade would delete them all at once. */
async function removeDeliveries({ db, tables }: Store, webhook: number): Promise<void> {
  const { id, webhook_id } = tables.webhook_deliveries;
  const some = db.select({ id }).from(tables.webhook_deliveries).where(eq(webhook_id, webhook));
  while ((await some.limit(1)).length > 0) {
    await db.delete(tables.webhook_deliveries).where(inArray(id, some.limit(AT_ONCE)));
    await breathe();
  }
}

/** Fails pending deliveries of a disabled webhook, except tests. */
async function giveUpWaiting({ db, tables }: Store, webhook: number): Promise<void> {
  const { webhook_id, event, next_attempt_at, leased_until } = tables.webhook_deliveries;
  await db
    .update(tables.webhook_deliveries)
    .set({ status: 'failed', last_error: 'The webhook was switched off', next_attempt_at: null })
    .where(and(eq(webhook_id, webhook), isNotNull(next_attempt_at), isNull(leased_until), ne(event, 'test')));
}

export function subscriptionOf(events: readonly string[]): string {
  return `|${events.join('|')}|`;
}

/** The columns of `WebhookRow`. */
export function webhookColumns(webhooks: Tables['webhooks']) {
  const { subscription, ...columns } = getTableColumns(webhooks);
  return columns;
}
