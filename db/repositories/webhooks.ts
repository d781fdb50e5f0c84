import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { WebhookRepository } from '#core/ports/operations.ts';
import { isNullViolation } from '../driver-errors.ts';
import type { Tables } from '../schema/schema.ts';
import type { Store } from '../store.ts';
import { alphabetical } from './alphabetical.ts';
import { orFault } from './or-fault.ts';
import { onlyRow } from './rows.ts';

export function createWebhookRepository({ db, alone, tables: { webhooks } }: Store): WebhookRepository {
  const columns = webhookColumns(webhooks);

  return {
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
      // At the limit it would be neither on nor off, which the column refuses.
      const enabled = sql`case when ${held} < ${limit} then ${row.enabled ? sql`true` : sql`false`} end`;
      // Of two inserts at once, neither would count the other's row.
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
      // Drizzle refuses an empty change; an id set to itself is one that changes nothing.
      const changed = db.update(webhooks).set({ id, ...patch, ...subscription });
      const [row] = await changed.where(and(eq(webhooks.id, id), unchanged)).returning(columns);
      return row;
    },

    async remove(id) {
      const removed = db.delete(webhooks).where(eq(webhooks.id, id)).returning({ id: webhooks.id });
      return (await removed).length > 0;
    },
  };
}

export function subscriptionOf(events: readonly string[]): string {
  return `|${events.join('|')}|`;
}

/** What `WebhookRow` knows. */
export function webhookColumns(webhooks: Tables['webhooks']) {
  const { subscription, ...columns } = getTableColumns(webhooks);
  return columns;
}
