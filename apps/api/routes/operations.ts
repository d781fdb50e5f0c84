import { MOST_SKEW_MS } from '#core/instances/database-clock.ts';
import { DEMO_CREDENTIALS } from '#core/model/demo.ts';
import { arrival, config, health, metrics, ready } from '../contract/operations.ts';
import { isFromTrustedProxy, requestedHost } from '../http/client-ip.ts';
import { acceptsOrigin, type OriginOptions } from '../http/gates.ts';
import type { Router } from '../http/router.ts';

/** Header of `GET /api/health`: tells other instances which run answers at an address. */
export const RUN_HEADER = 'X-Sallyport-Run';

export interface HealthOptions {
  readonly instance_id: string;
  readonly verify_host_keys: boolean;
  readonly monitorRole: () => 'leader' | 'follower';
  /** Set only for a worker. */
  readonly run_digest?: string;
}

export function mountHealth(router: Router, options: HealthOptions): void {
  const { instance_id, verify_host_keys, monitorRole, run_digest } = options;
  router.on(health, (c) => {
    if (run_digest) c.header(RUN_HEADER, run_digest);
    return c.json(
      {
        status: 'ok' as const,
        instance_id,
        monitor_role: monitorRole(),
        ...(verify_host_keys ? {} : { host_keys_verified: false as const }),
      },
      200,
    );
  });
}

interface PublicOptions {
  readonly demo_mode: boolean;
  readonly quick_connect: () => boolean;
}

/** What the page asks before anybody has signed in. */
export function mountConfig(router: Router, { demo_mode, quick_connect }: PublicOptions): void {
  router.on(config, (c) =>
    c.json(
      {
        demo_mode,
        ...(quick_connect() || demo_mode ? {} : { quick_connect: false as const }),
        ...(demo_mode ? { demo_credentials: DEMO_CREDENTIALS } : {}),
      },
      200,
    ),
  );
}

/** Answers pages whose sockets do not open. */
export function mountArrival(router: Router, options: OriginOptions): void {
  const { runtime } = options;
  router.on(arrival, (c) => {
    const { origin } = c.req.valid('query');
    const forwarded_host = c.req.header('x-forwarded-host');
    return c.json(
      {
        requested_host: requestedHost(c, runtime),
        ...(forwarded_host === undefined ? {} : { forwarded_host }),
        is_proxy_trusted: isFromTrustedProxy(c, runtime),
        accepts_origin: origin === undefined || acceptsOrigin(c, origin, options),
      },
      200,
    );
  });
}

/** Text of the metrics, and its media type. */
export type MetricsPage = () => Promise<{ readonly type: string; readonly text: string }>;

interface OperatorOptions {
  readonly metrics: MetricsPage;
  readonly assertReady: () => Promise<void>;
  readonly clockSkewMs: () => number;
}

/** Routes for load balancers and monitoring, about this process. */
export function mountOperatorMeta(router: Router, options: OperatorOptions): void {
  router.on(ready, async (c) => {
    await options.assertReady();
    const clock_skew_ms = options.clockSkewMs();
    const is_skewed = Math.abs(clock_skew_ms) > MOST_SKEW_MS;
    return c.json({ status: 'ready' as const, ...(is_skewed ? { clock_skew_ms } : {}) }, 200);
  });

  router.on(metrics, async (c) => {
    const { type, text } = await options.metrics();
    return c.text(text, 200, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  });
}
