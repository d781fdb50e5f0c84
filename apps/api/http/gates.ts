import type { RateLimits } from '#core/accounts/rate-limits.ts';
import { Fault } from '#core/errors.ts';
import { digest, isSameText } from '#core/lib/bytes.ts';
import { networkOf, siteOf } from '#core/lib/network.ts';
import type { After } from '#core/lib/timers.ts';
import type { Caller } from '#core/model/caller.ts';
import { type Access, assertUsable } from '#core/policy/account.ts';
import { type AppRoute, isRefusedWhileFull } from '../contract/app-route.ts';
import { type Authenticators, authenticate, bearerOf } from './authenticate.ts';
import { requestedHost } from './client-ip.ts';
import { assertDestination } from './destination.ts';
import type { AppContext, AppMiddleware, Runtime } from './env.ts';
import { awaitBody, limitJson } from './json-body.ts';

const NETWORKS_PER_SITE = 10; // full rates of a /64 that one IPv6 /48 may use
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export interface GateOptions extends Authenticators {
  readonly rate_limits: RateLimits;
  readonly runtime: Runtime;
  readonly after: After;
  readonly demo_mode: boolean;
  readonly allowed_origins: readonly string[];
  /** True while only what ends or deletes something should be written. */
  readonly isDatabaseFull?: () => boolean;
  /** `SERVICE_METRICS_TOKEN`. */
  readonly metrics_token?: string | undefined;
}

type GuardedRoute = AppRoute & { readonly 'x-access': Access };

/** Middleware that runs before a route's handler. Bound to the matched route, never to URL text. */
export type Gates = (route: AppRoute) => AppMiddleware[];

export function createGates(options: GateOptions): Gates {
  return (route) => [
    async function gate(c, next) {
      c.set('route', route.path);
      if (route['x-websocket']) assertSocket(c, options);
      assertDestination(c, route);
      if (options.demo_mode) assertDemo(c, route);
      if (route['x-access'] !== 'public' && !(await hasMetricsToken(c, route, options))) {
        c.set('caller', await admit(c, route, options));
        await limit(c, route, options.rate_limits, 'user');
      }
      await limit(c, route, options.rate_limits, 'ip');
      if (isRefusedWhileFull(route) && options.isDatabaseFull?.()) throw new Fault('database_full');
      await next();
    },
    ...(takesJson(route)
      ? [limitJson(route, options.after), readmitAfterBody(route, options), passEmptyBody(route)]
      : []),
  ];
}

interface UnknownOptions extends Pick<GateOptions, 'callers' | 'demo_mode'> {
  readonly missing: 'route_not_found' | 'worker_only';
}

/** The gates also hold on unknown paths of the API, for every request with a token. */
export function refuseUnknown({ callers, demo_mode, missing }: UnknownOptions) {
  return async function refuse(c: AppContext): Promise<never> {
    if (demo_mode && isWrite(c)) throw new Fault('demo_mode');
    const header = c.req.header('authorization');
    if (header !== undefined) {
      const caller = await callers.fromBearer(bearerOf(header), c.var.ip_address);
      assertUsable(caller, { access: 'user', scope: 'any', allow: [], fresh: false });
    }
    throw new Fault(missing);
  };
}

async function admit(c: AppContext, route: GuardedRoute, options: GateOptions): Promise<Caller> {
  const caller = await authenticate(c, route, options);
  assertUsable(caller, {
    access: route['x-access'],
    scope: route['x-scope'],
    allow: route['x-allow'] ?? [],
    fresh: route['x-fresh'] ?? false,
    embed: route['x-embed'],
  });
  return caller;
}

/** The metrics token works only on routes that allow it. */
async function hasMetricsToken(
  c: AppContext,
  route: AppRoute,
  { metrics_token }: GateOptions,
): Promise<boolean> {
  const header = c.req.header('authorization');
  if (metrics_token === undefined || header === undefined) return false;
  if (!route['x-allow']?.includes('metrics_token')) return false;
  return isSameText(await digest(bearerOf(header)), await digest(metrics_token)); // digests have equal lengths
}

/** Checks the rights again after the body: a client may delay it, and lose a right in that time. */
function readmitAfterBody(route: AppRoute, options: GateOptions): AppMiddleware {
  return async function readmit(c, next) {
    await awaitBody(c, options.after);
    if (route['x-access'] !== 'public') c.set('caller', await admit(c, route, options));
    await next();
  };
}

/** Some clients send `application/json` with an empty body: treat it as absent where the body is optional. */
function passEmptyBody(route: AppRoute): AppMiddleware {
  return async function passEmpty(c, next) {
    const may_be_empty =
      route.request?.body?.required === false && c.req.header('content-type') !== undefined;
    if (may_be_empty && (await c.req.text()) === '') {
      delete c.req.bodyCache.text;
      c.req.bodyCache.json = Promise.resolve({});
    }
    await next();
  };
}

/** Browsers send `Origin` with every WebSocket: no other site may use a user's ticket or token. */
function assertSocket(c: AppContext, { runtime, allowed_origins }: GateOptions): void {
  const origin = c.req.header('origin');
  if (
    origin !== undefined &&
    !allowed_origins.includes(origin) &&
    hostOf(origin) !== requestedHost(c, runtime)
  ) {
    throw new Fault('origin_refused');
  }
  if (!runtime.isUpgrade(c)) throw new Fault('upgrade_required');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** An HTTP handler's answer to an upgrade would be lost, and what the handler opened would stay open. */
export function refuseStrayUpgrades(runtime: Runtime): AppMiddleware {
  return async function refuseStrayUpgrade(c, next) {
    if (runtime.isUpgrade(c) && !c.req.path.startsWith('/api/ws/')) throw new Fault('upgrade_refused');
    await next();
  };
}

/** Without this, a query that does not decode would be taken literally: `%ff` would name a file called `%ff`. */
export const assertQueryIsText: AppMiddleware = async (c, next) => {
  const [, ...query] = c.req.url.split('?');
  try {
    decodeURIComponent(query.join('?'));
  } catch (cause) {
    throw new Fault('invalid_query', undefined, { cause });
  }
  await next();
};

function assertDemo(c: AppContext, route: AppRoute): void {
  if (route['x-deny']?.includes('demo')) throw new Fault('demo_mode');
  if (isWrite(c) && !route['x-allow']?.includes('demo_write')) throw new Fault('demo_mode');
}

function isWrite(c: AppContext): boolean {
  return WRITES.has(c.req.method);
}

async function limit(c: AppContext, route: AppRoute, limits: RateLimits, by: 'ip' | 'user'): Promise<void> {
  const rate = route['x-rate'];
  if (rate?.by !== by) return;
  if (by === 'user') return limits.hit(rate, String(c.var.caller.user_id));
  await limits.hit(rate, networkOf(c.var.ip_address)); // first: one network over its limit does not use up its site's
  const site = siteOf(c.var.ip_address);
  if (site) await limits.hit({ ...rate, limit: rate.limit * NETWORKS_PER_SITE }, site);
}

function takesJson(route: AppRoute): boolean {
  return route.request?.body?.content['application/json'] !== undefined;
}
