import type { RateLimits } from '#core/accounts/rate-limits.ts';
import { Fault } from '#core/errors.ts';
import { digest, isSameText } from '#core/lib/bytes.ts';
import { networkOf } from '#core/lib/network.ts';
import type { After } from '#core/lib/timers.ts';
import type { Caller } from '#core/model/caller.ts';
import { type Access, assertUsable } from '#core/policy/account.ts';
import type { AppRoute } from '../contract/define.ts';
import { type Authenticators, authenticate, bearerOf } from './authenticate.ts';
import { requestedHost } from './client-ip.ts';
import type { AppContext, AppMiddleware, Runtime } from './env.ts';
import { awaitBody, limitJson } from './json-body.ts';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export interface GateOptions extends Authenticators {
  readonly rate_limits: RateLimits;
  readonly runtime: Runtime;
  readonly after: After;
  readonly demo_mode: boolean;
  readonly allowed_origins: readonly string[];
  /** `SERVICE_METRICS_TOKEN`. */
  readonly metrics_token?: string | undefined;
}

type GuardedRoute = AppRoute & { readonly 'x-access': Access };

/** What stands before a route's handler, in order; bound to the matched route, never to URL text. */
export type Gates = (route: AppRoute) => AppMiddleware[];

export function createGates(options: GateOptions): Gates {
  return (route) => [
    async function gate(c, next) {
      c.set('route', route.path);
      if (route['x-websocket']) assertSocket(c, options);
      if (options.demo_mode) assertDemo(c, route);
      await limit(c, route, options.rate_limits, 'ip');
      if (route['x-access'] !== 'public' && !(await isMonitoring(c, route, options))) {
        c.set('caller', await admit(c, route, options));
        await limit(c, route, options.rate_limits, 'user');
      }
      await next();
    },
    ...(takesJson(route)
      ? [limitJson(route, options.after), lookAgainAfterBody(route, options), passEmptyBody(route)]
      : []),
  ];
}

async function admit(c: AppContext, route: GuardedRoute, options: GateOptions): Promise<Caller> {
  const caller = await authenticate(c, route, options);
  assertUsable(caller, { access: route['x-access'], scope: route['x-scope'], allow: route['x-allow'] ?? [] });
  return caller;
}

/** The token of the monitoring is good for what allows it, and for nothing else. */
async function isMonitoring(
  c: AppContext,
  route: AppRoute,
  { metrics_token }: GateOptions,
): Promise<boolean> {
  const header = c.req.header('authorization');
  if (metrics_token === undefined || header === undefined) return false;
  if (!route['x-allow']?.includes('metrics_token')) return false;
  return isSameText(await digest(bearerOf(header)), await digest(metrics_token)); // alike long, whatever was sent
}

/** A body may be held back for minutes: whoever lost their rights meanwhile must not write with the old ones. */
function lookAgainAfterBody(route: AppRoute, options: GateOptions): AppMiddleware {
  return async function lookAgain(c, next) {
    await awaitBody(c, options.after);
    if (route['x-access'] !== 'public') c.set('caller', await admit(c, route, options));
    await next();
  };
}

/** Some clients say `application/json` of nothing at all: where a body may be absent, that is one. */
function passEmptyBody(route: AppRoute): AppMiddleware {
  return async function passEmpty(c, next) {
    const may_lack = route.request?.body?.required === false && c.req.header('content-type') !== undefined;
    if (may_lack && (await c.req.text()) === '') {
      delete c.req.bodyCache.text;
      c.req.bodyCache.json = Promise.resolve({});
    }
    await next();
  };
}

/** Browsers send `Origin` with every socket and no other site may use their ticket or token here. */
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

/** A handler that is no socket's would answer into nothing, and keep open what it opened. */
export function refuseStrayUpgrades(runtime: Runtime): AppMiddleware {
  return async function refuseStrayUpgrade(c, next) {
    if (runtime.isUpgrade(c) && !c.req.path.startsWith('/api/ws/')) throw new Fault('upgrade_refused');
    await next();
  };
}

function assertDemo(c: AppContext, route: AppRoute): void {
  if (route['x-deny']?.includes('demo')) throw new Fault('demo_mode');
  if (isWrite(c) && !route['x-allow']?.includes('demo_write')) throw new Fault('demo_mode');
}

export function isWrite(c: AppContext): boolean {
  return WRITES.has(c.req.method);
}

async function limit(c: AppContext, route: AppRoute, limits: RateLimits, by: 'ip' | 'user'): Promise<void> {
  const rate = route['x-rate'];
  if (rate?.by !== by) return;
  await limits.hit(rate, by === 'ip' ? networkOf(c.var.ip_address) : String(c.var.caller.user_id));
}

function takesJson(route: AppRoute): boolean {
  return route.request?.body?.content['application/json'] !== undefined;
}
