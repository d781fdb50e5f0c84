import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { DeliveryRow } from '#core/model/webhooks/webhook.ts';
import type { DeliveryRepository, DeliveryShare, LeasedDelivery } from '#core/ports/repositories/webhooks.ts';
import { CLOCKS } from '../../query/clocks.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';
import { webhookColumns } from './webhooks.ts';

type Leases = Pick<DeliveryRepository, 'waiting' | 'take' | 'release' | 'nextDue'>;

/** Leases deliveries to one of several instances. */
export function createDeliveryLeases(store: Store): Leases {
  const { db, dialect, alone, tables } = store;
  const { webhooks, webhook_deliveries: deliveries } = tables;
  const { now, after, untilEnd } = CLOCKS[dialect];
  const { id, webhook_id, event, next_attempt_at, leased_by, leased_until } = deliveries;
  const due = sql`${next_attempt_at} <= ${now} and (${leased_until} is null or ${leased_until} <= ${now})`;

  /** The first deliveries of each webhook, numbered. */
  const firstOf = (share: DeliveryShare) => sql`
    select id, next_attempt_at, row_number() over (order by next_attempt_at, id) as turn from (
      select ${id}, ${next_attempt_at} from ${deliveries}
      where ${webhook_id} = ${share.webhook_id} and ${due} and (
        ${event} = 'test' or (select ${webhooks.enabled} from ${webhooks} where ${webhooks.id} = ${share.webhook_id})
      )
      order by ${next_attempt_at}, ${id} limit ${share.most}
    ) as first_ones`;

  return {
    async waiting() {
      const since = sql`(
        select ${next_attempt_at} from ${deliveries}
        where ${webhook_id} = ${webhooks.id} and ${due} and (${webhooks.enabled} or ${event} = 'test')
        order by ${next_attempt_at} limit 1
      )`;
      const rows = await db
        .select({ id: sql<number>`waits.id` })
        .from(sql`(select ${webhooks.id} as id, ${since} as since from ${webhooks}) as waits`)
        .where(sql`waits.since is not null`)
        .orderBy(sql`waits.since`, sql`waits.id`);
      return rows.map((row) => row.id);
    },

    async take({ holder, lease_ms, limit, shares }) {
      if (shares.length === 0) return [];
      const parts = shares.map((share) => sql`select * from (${firstOf(share)}) as part`);
      const chosen = sql`(
        select id from (${sql.join(parts, sql` union all `)}) as candidates
        order by turn, next_attempt_at, id limit ${limit}
      )`;
      // Sorted or locked first, so that two instances do not deadlock on the same rows.
      const rows = await alone('webhook deliveries', (locked) =>
        locked
          .update(deliveries)
          .set({ leased_by: holder, leased_until: after(lease_ms) })
          .where(and(inArray(id, chosen), due))
          .returning(deliveryColumns(deliveries)),
      );
      return withWebhooks(store, rows);
    },

    async release(delivery_id, holder) {
      const ours = and(eq(id, delivery_id), eq(leased_by, holder));
      await db.update(deliveries).set({ leased_by: null, leased_until: null }).where(ours);
    },

    async nextDue() {
      const [first] = await db
        .select({ in_ms: untilEnd(sql`${next_attempt_at}`).mapWith(Number) })
        .from(deliveries)
        .where(sql`${next_attempt_at} > ${now}`)
        .orderBy(next_attempt_at)
        .limit(1);
      return first && Math.max(0, Math.ceil(first.in_ms));
    },
  };
}

async function withWebhooks(
  { db, tables: { webhooks } }: Store,
  rows: DeliveryRow[],
): Promise<LeasedDelivery[]> {
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map((row) => row.webhook_id))];
  const found = await db.select(webhookColumns(webhooks)).from(webhooks).where(inArray(webhooks.id, ids));
  const byId = new Map(found.map((webhook) => [webhook.id, webhook]));
  return rows.flatMap((delivery) => {
    const webhook = byId.get(delivery.webhook_id);
    return webhook ? [{ delivery, webhook }] : []; // deleted in the meantime together with its deliveries
  });
}

/** The columns of `DeliveryRow`. */
export function deliveryColumns(deliveries: Tables['webhook_deliveries']) {
  const { leased_by, leased_until, ...columns } = getTableColumns(deliveries);
  return columns;
}
