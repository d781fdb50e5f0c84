import { count, isNotNull } from 'drizzle-orm';
import type { PulseRepository } from '#core/ports/repositories/operations.ts';
import { onlyRow } from '../../query/rows.ts';
import type { Store } from '../../store.ts';

export function createPulseRepository({
  db,
  tables: { settings, webhook_deliveries },
}: Store): PulseRepository {
  return {
    async beat() {
      await db.select({ key: settings.key }).from(settings).limit(1);
    },

    async waitingDeliveries() {
      const waiting = isNotNull(webhook_deliveries.next_attempt_at);
      return onlyRow(await db.select({ waiting: count() }).from(webhook_deliveries).where(waiting)).waiting;
    },
  };
}
