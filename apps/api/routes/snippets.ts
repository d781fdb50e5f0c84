import type { Snippets } from '#core/snippets/snippets.ts';
import { createSnippet, deleteSnippet, listSnippets, updateSnippet } from '../contract/snippets.ts';
import type { Router } from '../http/router.ts';

export function mountSnippets(router: Router, snippets: Snippets): void {
  router.on(listSnippets, async (c) => c.json(await snippets.list(c.var.caller), 200));

  router.on(createSnippet, async (c) =>
    c.json(await snippets.create(c.var.caller, c.req.valid('json')), 201),
  );

  router.on(updateSnippet, async (c) =>
    c.json(await snippets.update(c.var.caller, c.req.valid('param').id, c.req.valid('json')), 200),
  );

  router.on(deleteSnippet, async (c) => {
    await snippets.remove(c.var.caller, c.req.valid('param').id);
    return c.body(null, 204);
  });
}
