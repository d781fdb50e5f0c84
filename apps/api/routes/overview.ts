import type { OverviewService } from '#core/overview/overview.ts';
import { overview } from '../contract/overview.ts';
import type { Router } from '../http/router.ts';

export function mountOverview(router: Router, service: OverviewService): void {
  router.on(overview, async (c) => c.json(await service.get(c.var.caller, c.req.valid('query').hours), 200));
}
