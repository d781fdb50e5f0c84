import { createApp } from '#api/app.ts';
import type { Services } from '#core/service-types.ts';
import { createNodeRuntime } from '../http/runtime.ts';
import { systemClock } from '../lib/clock.ts';
import { readVersion } from '../version.ts';

/** The OpenAPI document without a running gateway, for the client generator and other tools. */
export function openApiDocument(): unknown {
  const silent = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const { document } = createApp({
    services: unreachable(),
    runtime: createNodeRuntime([]),
    log: silent,
    after: systemClock.after,
    version: readVersion(),
    instance_id: '',
    root_path: '',
    demo_mode: false,
    verify_host_keys: true,
    quick_connect: () => true,
    metrics: async () => ({ type: 'text/plain', text: '' }),
    metrics_token: undefined,
    assertReady: async () => undefined,
    clockSkewMs: () => 0,
    isDatabaseFull: () => false,
    monitorRole: () => 'follower',
    allowed_origins: () => [],
    role: 'gateway',
  });
  return document();
}

/** No request reaches this application: only its document is read. */
function unreachable(): Services {
  return {} as Services;
}
