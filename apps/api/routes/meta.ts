import { DEMO_CREDENTIALS } from '#core/model/demo.ts';
import { config, health } from '../contract/meta.ts';
import type { Router } from '../http/router.ts';

export interface MetaOptions {
  readonly instance_id: string;
  readonly demo_mode: boolean;
}

export function mountMeta(router: Router, { instance_id, demo_mode }: MetaOptions): void {
  router.on(health, (c) =>
    c.json({ status: 'ok' as const, instance_id, monitor_role: 'follower' as const }, 200),
  );
  router.on(config, (c) =>
    c.json({ demo_mode, ...(demo_mode ? { demo_credentials: DEMO_CREDENTIALS } : {}) }, 200),
  );
}
