import type { Embedding } from '#core/embedding/embedding.ts';
import { embedSetup, embedTicket, endEmbed, renewEmbed, startEmbed } from '../contract/embedding.ts';
import type { Router } from '../http/router.ts';

export function mountEmbedding(router: Router, embedding: Embedding): void {
  router.on(embedSetup, (c) => c.json(embedding.setup(c.var.caller), 200));

  router.on(embedTicket, async (c) => c.json(await embedding.mint(c.var.caller, c.req.valid('json')), 200));

  router.on(startEmbed, async (c) => {
    const user_agent = c.req.header('user-agent') ?? '';
    const origin = { ip_address: c.var.ip_address, user_agent, via: 'embed' as const };
    return c.json(await embedding.exchange(c.req.valid('json').ticket, origin), 200);
  });

  router.on(renewEmbed, async (c) => c.json(await embedding.renew(c.var.caller), 200));

  router.on(endEmbed, async (c) => {
    await embedding.end(c.var.caller);
    return c.body(null, 204);
  });
}
