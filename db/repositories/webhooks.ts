import type { WebhookRepository } from '#core/ports/operations.ts';
import type { Store } from '../store.ts';

export function createWebhookRepository(_store: Store): WebhookRepository {
  const unfinished = () => {
    throw new Error('unfinished');
  };
  return {
    list: unfinished,
    byId: unfinished,
    insert: unfinished,
    update: unfinished,
    remove: unfinished,
  };
}
