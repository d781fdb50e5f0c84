import type { RateLimits } from '#core/accounts/rate-limits.ts';
import { Fault } from '#core/errors.ts';
import { digest, isSameText } from '#core/lib/bytes/bytes.ts';
import { networkOf, siteOf } from '#core/lib/network/network.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import { assertDemo, assertMeets } from '#core/policy/account.ts';
import {
  type AppRoute,
  demandOf,
  type GuardedRoute,
  isOpenInDemo,
  isRefusedWhileFull,
  type TurnKind,
} from '../contract/app-route.ts';
import { createArrivals } from './arrivals.ts';
import { type Authenticators, authenticate, authorizationOf, bearerOf } from './authenticate.ts';
import { isOwnOrigin } from './client-ip.ts';
import { assertDestination } from './destination.ts';
import type { AppContext, AppMiddleware, Runtime } from './env.ts';
import { limitJson, parseJson } from './json-body.ts';
import { createTurns, type TakeTurn } from './turns.ts';

const NETWORKS_PER_SITE = 10; // full rates of a /64 that one IPv6 /48 may use
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export interface GateOptions extends Authenticators {
  readonly rate_limits: RateLimits;
  readonly runtime: Runtime;
  readonly after: After;
  readonly demo_mode: boolean;
  readonly allowed_origins: () => readonly string[];
  /** True while only what ends or deletes something should be written. */
  readonly isDatabaseFull?: () => boolean;
  /** `SERVICE_METRICS_TOKEN`. */
  readonly metrics_token?: string | undefined;
}

/** Middleware that runs before a route's handler. Bound to the matched route, never to URL text. */
export type Gates = (route: AppRoute) => AppMiddleware[];

export function createGates(options: GateOptions): Gates {
  const takeTurn = createTurns(options);
  const arriving = { after: options.after, arrivals: createArrivals() };
  return (route) => [
    async function gate(c, next) {
      const turn = turnOf(route);
      c.set('route', route.path);
      c.set('turn', turn);
      if (route['x-websocket']) assertSocket(c, options);
      assertDestination(c, route);
      assertDemo(options.demo_mode, { demo: isOpenInDemo(route) });
      if (route['x-access'] !== 'public' && !(await hasMetricsToken(c, route, options))) {
        c.set('caller', await admit(c, route, options));
        await limit(c, route, options.rate_limits, 'user');
      }
      await limit(c, route, options.rate_limits, 'ip');
      if (isRefusedWhileFull(route) && options.isDatabaseFull?.()) throw new Fault('database_full');
      await (c.get('caller') ? takeTurn(c, hasTurnOfBody(route) ? 'body' : turn, next) : next());
    },
    ...(takesJson(route)
      ? [
          limitJson(route, arriving),
          readmitAfterBody(route, options),
          takeTurnAfterBody(route, takeTurn),
          parseJson(route, options.runtime),
          passEmptyBody(route),
        ]
      : []),
  ];
}

interface UnknownOptions extends Pick<GateOptions, 'callers' | 'demo_mode'> {
  readonly missing: 'route_not_found' | 'worker_only';
}

/** The gates also hold on unknown paths of the API, for every request with a token. */
export function refuseUnknown({ callers, demo_mode, missing }: UnknownOptions) {
  return async function refuse(c: AppContext): Promise<never> {
    assertDemo(demo_mode, { demo: !WRITES.has(c.req.method) });
    const header = authorizationOf(c);
    if (header !== undefined) {
      const caller = await callers.fromBearer(bearerOf(header), c.var.ip_address);
      assertMeets(caller, { access: 'user', scope: 'any', demo: true });
    }
    throw new Fault(missing);
  };
}

async function admit(c: AppContext, route: GuardedRoute, options: GateOptions): Promise<Caller> {
  const caller = await authenticate(c, route, options);
  assertMeets(caller, demandOf(route));
  return caller;
}

/** The metrics token works only on routes that allow it. */
async function hasMetricsToken(
  c: AppContext,
  route: AppRoute,
  { metrics_token }: GateOptions,
): Promise<boolean> {
  const header = authorizationOf(c);
  if (metrics_token === undefined || header === undefined) return false;
  if (!route['x-allow']?.includes('metrics_token')) return false;
  return isSameText(await digest(bearerOf(header)), await digest(metrics_token)); // digests have equal lengths
}

/** Checks the rights again after the body: a client may delay it, and lose a right in that time. */
function readmitAfterBody(route: AppRoute, options: GateOptions): AppMiddleware {
  return async function readmit(c, next) {
    if (route['x-access'] !== 'public') c.set('caller', await admit(c, route, options));
    await next();
  };
}

function takeTurnAfterBody(route: AppRoute, takeTurn: TakeTurn): AppMiddleware {
  return async function takeTurnNow(c, next) {
    await (c.get('caller') && hasTurnOfBody(route) ? takeTurn(c, turnOf(route), next) : next());
  };
}

function turnOf({ 'x-turn': turn = 'answer' }: AppRoute): TurnKind {
  return turn;
}

/** Whether its body takes a turn apart from the rest. Large bodies have limits of their own. */
function hasTurnOfBody(route: AppRoute): boolean {
  return takesJson(route) && (route['x-body-limit'] ?? 1) <= 1;
}

/** Some clients send `application/json` with an empty body: treat it as absent where the body is optional. */
function passEmptyBody(route: AppRoute): AppMiddleware {
  return async function passEmpty(c, next) {
    const may_be_empty =
      route.request?.body?.required === false && c.req.header('content-type') !== undefined;
    if (may_be_empty && (await c.req.text()) === '') c.req.raw = withoutContentType(c.req.raw);
    await next();
  };
}

function withoutContentType({ url, method, headers: sent, signal }: Request): Request {
  const headers = new Headers(sent);
  headers.delete('content-type');
  return new Request(url, { method, headers, signal });
}

export type OriginOptions = Pick<GateOptions, 'runtime' | 'allowed_origins'>;

/** Browsers send `Origin` with every WebSocket: no other site may use a user's ticket or token. */
function assertSocket(c: AppContext, options: GateOptions): void {
  assertOrigin(c, options);
  if (!options.runtime.isUpgrade(c)) throw new Fault('upgrade_required');
}

/** Also before a socket is forwarded: once it is accepted, a refusal can only close it. */
export function assertOrigin(c: AppContext, options: OriginOptions): void {
  const origin = c.req.header('origin');
  if (origin !== undefined && !acceptsOrigin(c, origin, options)) throw new Fault('origin_refused');
}

/** Whether pages of this origin may open sockets. */
export function acceptsOrigin(
  c: AppContext,
  origin: string,
  { runtime, allowed_origins }: OriginOptions,
): boolean {
  return allowed_origins().includes(origin) || isOwnOrigin(c, runtime, origin);
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
