import type { Webhooks } from '#core/webhooks/webhooks.ts';
import * as contract from '../contract/webhooks.ts';
import type { Router } from '../http/router.ts';

export function mountWebhooks(router: Router, webhooks: Webhooks): void {
  router.on(contract.webhookEvents, (c) => c.json(webhooks.kinds(c.var.caller), 200));

  router.on(contract.listWebhooks, async (c) => c.json(await webhooks.list(c.var.caller), 200));

  router.on(contract.createWebhook, async (c) =>
    c.json(await webhooks.create(c.var.caller, c.req.valid('json')), 201),
  );

  router.on(contract.updateWebhook, async (c) =>
    c.json(await webhooks.update(c.var.caller, c.req.valid('param').id, c.req.valid('json')), 200),
  );

  router.on(contract.deleteWebhook, async (c) => {
    await webhooks.remove(c.var.caller, c.req.valid('param').id);
    return c.body(null, 204);
  });

  router.on(contract.testWebhook, async (c) => {
    await webhooks.test(c.var.caller, c.req.valid('param').id);
    return c.json({ queued: true as const }, 200);
  });

  router.on(contract.listDeliveries, async (c) => {
    const { deliveries, total } = await webhooks.deliveries(
      c.var.caller,
      c.req.valid('param').id,
      c.req.valid('query'),
    );
    c.header('X-Total-Count', String(total));
    return c.json(deliveries, 200);
  });

  router.on(contract.replayDelivery, async (c) =>
    c.json(await webhooks.replay(c.var.caller, c.req.valid('param').id), 200),
  );
}
