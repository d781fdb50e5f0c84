import { Fault } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import type { EventKind } from '../model/event.ts';
import type { Delivery, Webhook, WebhookInput, WebhookPatch } from '../model/webhook.ts';
import { assertAdmin } from '../policy/account.ts';

/** Who hears of what happens here. */
export interface Webhooks {
  kinds(caller: Caller): EventKind[];
  list(caller: Caller): Promise<Webhook[]>;
  create(caller: Caller, input: WebhookInput): Promise<Webhook>;
  update(caller: Caller, id: number, patch: WebhookPatch): Promise<Webhook>;
  remove(caller: Caller, id: number): Promise<void>;
  test(caller: Caller, id: number): Promise<void>;
  deliveries(
    caller: Caller,
    id: number,
    paging: { limit: number; offset: number },
  ): Promise<{ deliveries: Delivery[]; total: number }>;
  /** The new delivery. */
  replay(caller: Caller, delivery_id: number): Promise<Delivery>;
}

export function createWebhooks(): Webhooks {
  const not = (caller: Caller): never => {
    assertAdmin(caller);
    throw new Fault('webhook_not_found');
  };
  return {
    kinds: not,
    list: not,
    create: not,
    update: not,
    remove: not,
    test: not,
    deliveries: not,
    replay: not,
  };
}
