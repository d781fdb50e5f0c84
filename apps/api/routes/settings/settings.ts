import type { Settings } from '#core/settings/settings.ts';
import { listSettings, resetSettings, updateSettings } from '../../contract/settings/settings.ts';
import type { Router } from '../../http/router.ts';

export function mountSettings(router: Router, settings: Settings): void {
  router.on(listSettings, async (c) => c.json(await settings.list(c.var.caller), 200));

  router.on(updateSettings, async (c) =>
    c.json({ changed: await settings.update(c.var.caller, c.req.valid('json').values) }, 200),
  );

  router.on(resetSettings, async (c) =>
    c.json({ cleared: await settings.reset(c.var.caller, c.req.valid('json').keys) }, 200),
  );
}
