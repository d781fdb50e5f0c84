import type { ApiKeys } from '#core/accounts/api-keys.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../contract/accounts/api-keys.ts';
import type { Router } from '../../http/router.ts';

export function mountApiKeys(router: Router, api_keys: ApiKeys): void {
  router.on(listApiKeys, async (c) => c.json(await api_keys.list(c.var.caller), 200));

  router.on(createApiKey, async (c) => c.json(await api_keys.create(c.var.caller, c.req.valid('json')), 201));

  router.on(revokeApiKey, async (c) => {
    await api_keys.revoke(c.var.caller, c.req.valid('param').key_id);
    return c.body(null, 204);
  });
}
