import {
  and,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { DeliveryFilter } from '#core/model/webhooks/webhook.ts';
import type { DeliveryRepository } from '#core/ports/repositories/webhooks.ts';
import { CLOCKS } from '../../query/clocks.ts';
import { orFault } from '../../query/or-fault.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';
import { createDeliveryLeases, deliveryColumns } from './delivery-leases.ts';

const REMOVED_AT_ONCE = 10_000; // SQLite blocks the file and our thread for that long

export function createDeliveryRepository(store: Store): DeliveryRepository {
  return {
    ...createReading(store),
    ...createDeliveryLeases(store),
    ...createSettling(store),
    ...createClearing(store),
  };
}

type Reading = Pick<DeliveryRepository, 'page' | 'count' | 'byId' | 'insert'>;
type Settling = Pick<DeliveryRepository, 'settle'>;
type Clearing = Pick<DeliveryRepository, 'removeOlder' | 'failExcess'>;

function createReading({ db, dialect, tables: { webhook_deliveries: deliveries } }: Store): Reading {
  const { now } = CLOCKS[dialect];
  const columns = deliveryColumns(deliveries);
  const asked = (webhook_id: number, { event, status, since, until }: DeliveryFilter = {}) =>
    and(
      eq(deliveries.webhook_id, webhook_id),
      event === undefined ? undefined : eq(deliveries.event, event),
      status === undefined ? undefined : eq(deliveries.status, status),
      since === undefined ? undefined : gte(deliveries.created_at, since),
      until === undefined ? undefined : lt(deliveries.created_at, until),
    );

  return {
    page: (webhook_id, { limit, offset }, filter) =>
      db
        .select({ ...columns, data: sql<null>`null` }) // up to 64 KiB each, and not shown in lists
        .from(deliveries)
        .where(asked(webhook_id, filter))
        .orderBy(desc(deliveries.id))
        .limit(limit)
        .offset(offset),

    async count(webhook_id, filter) {
      const rows = await db.select({ deliveries: count() }).from(deliveries).where(asked(webhook_id, filter));
      return onlyRow(rows).deliveries;
    },

    async byId(id) {
      const [row] = await db.select(columns).from(deliveries).where(eq(deliveries.id, id));
      return row;
    },

    async insert(row) {
      const insertion = db
        .insert(deliveries)
        .values({ ...row, status: 'pending', attempts: 0, created_at: now, next_attempt_at: now })
        .returning(columns);
      return onlyRow(await orFault('webhook_not_found', insertion)); // the only foreign key
    },
  };
}

function createSettling({ db, batch, dialect, tables }: Store): Settling {
  const { webhooks, webhook_deliveries: deliveries } = tables;
  const { after } = CLOCKS[dialect];

  return {
    async settle({ id, attempts, holder }, { next_attempt_in_ms, at, ...outcome }) {
      const { webhook_id, leased_by, leased_until } = deliveries;
      const ours = and(eq(deliveries.id, id), eq(leased_by, holder));
      const before = and(ours, eq(deliveries.attempts, attempts), isNotNull(leased_until));
      const afterwards = and(ours, eq(deliveries.attempts, attempts + 1));
      const receiver = sql`(select ${webhook_id} from ${deliveries} where ${before})`;
      const news = or(isNull(webhooks.last_fired_at), lte(webhooks.last_fired_at, at));
      await batch((db) => [
        // Locked in the same order as a removal: the webhook, then its deliveries.
        db
          .update(webhooks)
          .set({ last_fired_at: at, last_status: outcome.last_status })
          .where(and(inArray(webhooks.id, receiver), news)),
        db
          .update(deliveries)
          .set({
            ...outcome,
            attempts: attempts + 1,
            delivered_at: outcome.status === 'delivered' ? at : null,
            next_attempt_at: next_attempt_in_ms === null ? null : after(next_attempt_in_ms),
            leased_until: null,
          })
          .where(before),
      ]);
      const [settled] = await db.select({ id: deliveries.id }).from(deliveries).where(afterwards);
      return settled !== undefined;
    },
  };
}

function createClearing({ db, alone, tables: { webhook_deliveries: deliveries } }: Store): Clearing {
  const { id, webhook_id, created_at, next_attempt_at, leased_until } = deliveries;

  /** The oldest delivery that is kept. */
  const oldestKept = (webhook: number, most: number): SQL => sql`(
    select ${id} from ${deliveries} where ${webhook_id} = ${webhook} and ${next_attempt_at} is not null
    order by ${id} desc limit 1 offset ${most - 1}
  )`;

  return {
    async removeOlder(before) {
      const old = db
        .select({ id })
        .from(deliveries)
        .where(lt(created_at, before))
        .orderBy(created_at)
        .limit(REMOVED_AT_ONCE);
      // Sorted or locked first, so that two instances do not deadlock on the same rows.
      await alone('old webhook deliveries', (locked) => locked.delete(deliveries).where(inArray(id, old)));
    },

    async failExcess(most, reason) {
      const crowded = await db
        .select({ webhook_id })
        .from(deliveries)
        .where(isNotNull(next_attempt_at))
        .groupBy(webhook_id)
        .having(sql`count(*) > ${most}`);
      for (const crowd of crowded) {
        const waits = and(eq(webhook_id, crowd.webhook_id), isNotNull(next_attempt_at), isNull(leased_until));
        await db
          .update(deliveries)
          .set({ status: 'failed', last_error: reason, next_attempt_at: null })
          .where(and(waits, sql`${id} < ${oldestKept(crowd.webhook_id, most)}`));
      }
    },
  };
}
