import type { EventKind } from '#core/model/webhooks/event.ts';
import type { DeliveryStatus } from '#core/model/webhooks/webhook.ts';
import type { Kit } from '../kit/sqlite.ts';

export function defineWebhooks(kit: Kit) {
  const webhooks = kit.table('webhooks', {
    id: kit.id(),
    name: kit.text().notNull(),
    url: kit.text().notNull(),
    events: kit.strings().notNull(),
    // The same as `|kind|kind|`, which SQL on both databases can match.
    subscription: kit.text().notNull(),
    enabled: kit.bool().notNull(),
    secret_sealed: kit.text(),
    previous_secret_sealed: kit.text(),
    previous_secret_until: kit.instant(),
    last_fired_at: kit.instant(),
    last_status: kit.int(),
    created_at: kit.instant().notNull(),
    updated_at: kit.instant().notNull(),
  });

  const webhook_deliveries = kit.table(
    'webhook_deliveries',
    {
      id: kit.id(),
      webhook_id: kit
        .int()
        .notNull()
        .references(() => webhooks.id, { onDelete: 'cascade' }),
      event: kit.text().$type<EventKind>().notNull(),
      fired_at: kit.instant().notNull(),
      subject_id: kit.int(),
      data: kit.json().$type<unknown>().notNull(),
      status: kit.text().$type<DeliveryStatus>().notNull(),
      attempts: kit.int().notNull(),
      last_status: kit.int(),
      last_error: kit.text(),
      replay_of: kit.int(),
      created_at: kit.instant().notNull(),
      delivered_at: kit.instant(),
      next_attempt_at: kit.instant(),
      // The run that delivers it, and until when its lease lasts.
      leased_by: kit.text(),
      leased_until: kit.instant(),
    },
    (row) => [
      kit.index('webhook_deliveries_webhook_id').on(row.webhook_id, row.id),
      kit.index('webhook_deliveries_waiting').on(row.webhook_id, row.next_attempt_at),
      kit.index('webhook_deliveries_next_attempt_at').on(row.next_attempt_at),
      kit.index('webhook_deliveries_created_at').on(row.created_at),
    ],
  );

  return { webhooks, webhook_deliveries };
}
