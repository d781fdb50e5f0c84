import type { DeliveryRepository } from '#core/ports/operations.ts';
import type { Store } from '../store.ts';

export function createDeliveryRepository(_store: Store): DeliveryRepository {
  const unfinished = () => {
    throw new Error('unfinished');
  };
  return {
    page: unfinished,
    count: unfinished,
    byId: unfinished,
    insert: unfinished,
    take: async () => [],
    settle: unfinished,
    nextDue: async () => undefined,
    removeOlder: async () => undefined,
  };
}
