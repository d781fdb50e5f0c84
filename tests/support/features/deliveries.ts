import { asc, eq } from 'drizzle-orm';
import type { EventKind } from '#core/model/webhooks/event.ts';
import type { Store } from '#db/store.ts';

const AT = '2026-01-02T03:04:05.678Z';
const NOWHERE = 'https://receiver.invalid/hook';

/** A webhook created directly in the database; returns its id. */
export async function addWebhook(
  { db, tables: { webhooks } }: Pick<Store, 'db' | 'tables'>,
  events: readonly string[] = ['*'],
  { enabled = true } = {},
): Promise<number> {
  const [row] = await db
    .insert(webhooks)
    .values({
      name: events.join(', '),
      url: NOWHERE,
      events: [...events],
      subscription: `|${events.join('|')}|`,
      enabled,
      created_at: AT,
      updated_at: AT,
    })
    .returning({ id: webhooks.id });
  if (!row) throw new Error('No webhook was made');
  return row.id;
}

/** The stored events of a webhook, oldest first, of one kind or of all. */
export async function deliveriesTo(
  { db, tables: { webhook_deliveries } }: Pick<Store, 'db' | 'tables'>,
  webhook_id: number,
  event?: EventKind,
) {
  const rows = await db
    .select()
    .from(webhook_deliveries)
    .where(eq(webhook_deliveries.webhook_id, webhook_id))
    .orderBy(asc(webhook_deliveries.id));
  return rows.filter((row) => event === undefined || row.event === event);
}

/** The same, as receivers get them. */
export async function toldTo(store: Pick<Store, 'db' | 'tables'>, webhook_id: number, event?: EventKind) {
  const rows = await deliveriesTo(store, webhook_id, event);
  return rows.map(({ event, subject_id, data }) => ({
    event,
    data: subject_id === null ? data : { id: subject_id, ...Object(data) },
  }));
}
