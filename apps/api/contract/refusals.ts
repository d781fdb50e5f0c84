import { FAULTS, type FaultCode } from '#core/errors.ts';
import { type AppRoute, isOpenInDemo, isRefusedWhileFull } from './app-route.ts';
import { ErrorBody } from './shapes.ts';

/** What any operation may refuse; the document says it once. */
export const GENERAL_REFUSALS = {
  '4XX': {
    name: 'Refused',
    codes: [
      ...([
        'bad_request',
        'invalid_query',
        'upgrade_refused',
        'method_not_allowed',
        'route_not_found',
        'rate_limited',
      ] as const),
      ...([
        'request_timeout',
        'body_timeout',
        'expectation_failed',
        'worker_only',
        'headers_too_large',
      ] as const),
    ],
  },
  '5XX': {
    name: 'Failed',
    codes: ['internal', 'database_unavailable', 'shutting_down', 'worker_unreachable', 'worker_timeout'],
  },
} as const satisfies Record<string, { name: string; codes: readonly FaultCode[] }>;

type Gate = readonly [applies: (route: AppRoute) => boolean, ...codes: FaultCode[]];

const isGuarded = (route: AppRoute) => route['x-access'] !== 'public';
const isSocket = (route: AppRoute) => route['x-websocket'] === true;

/** What the gates refuse, by the policy of a route. */
const GATES: readonly Gate[] = [
  [isGuarded, 'not_authenticated', 'invalid_token', 'invalid_api_key'],
  [(route) => route['x-ticket'] !== undefined, 'invalid_ticket'],
  [(route) => isGuarded(route) && !route['x-allow']?.includes('pending_2fa'), 'pending_2fa'],
  [isGuarded, 'password_change_required'],
  [(route) => route['x-access'] === 'admin', 'admin_only'],
  [(route) => route['x-scope'] === 'session', 'session_required'],
  [(route) => isGuarded(route) && route['x-scope'] !== 'session', 'scope_missing'],
  [(route) => isGuarded(route) && route['x-embed']?.kind !== 'any', 'embed_refused'],
  [(route) => route['x-embed']?.writes === true, 'embed_read_only'],
  [(route) => route['x-fresh'] === true, 'step_up_required'],
  [(route) => !isOpenInDemo(route), 'demo_mode'],
  [(route) => route['x-ticket'] !== undefined && !isSocket(route), 'destination_refused'],
  [isSocket, 'origin_refused', 'upgrade_required'],
  [(route) => route.request !== undefined, 'validation'],
  [(route) => route.request?.body?.content['application/json'] !== undefined, 'body_too_large'],
  [(route) => (route['x-body-limit'] ?? 1) > 1, 'overloaded'],
  [(route) => route['x-rate'] !== undefined, 'rate_limited'],
  [isRefusedWhileFull, 'database_full'],
];

/** A response for each status that the route may refuse with, which lists the codes. */
export function refusalsOf(route: AppRoute): Record<string, unknown> {
  const gates = GATES.filter(([applies]) => applies(route)).flatMap(([, ...codes]) => codes);
  const codes = [...new Set([...(route.refuses ?? []), ...gates])];
  const statuses = [...new Set(codes.map((code) => FAULTS[code].status))];
  const listed = statuses.map((status) => {
    const here = codes.filter((code) => FAULTS[code].status === status);
    return [status, refusal(here, route)];
  });
  const general = Object.entries(GENERAL_REFUSALS).map(([range, { name }]) => [
    range,
    { $ref: `#/components/responses/${name}` },
  ]);
  return Object.fromEntries([...listed, ...general]);
}

const ASKS_TO_WAIT: ReadonlySet<number> = new Set([429, 503]);

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until the client may try again', schema: { type: 'string' } },
};

function refusal(codes: readonly FaultCode[], route: AppRoute) {
  const waits = codes.some((code) => ASKS_TO_WAIT.has(FAULTS[code].status)) && !isSocket(route);
  return {
    description: codes.map((code) => explained(code, route)).join(' '),
    content: { 'application/json': { schema: ErrorBody } },
    ...(waits ? { headers: RETRY_AFTER } : {}),
    'x-codes': [...codes],
  };
}

/** The gates' codes about the caller are the same everywhere, so they are only named. */
function explained(code: FaultCode, route: AppRoute): string {
  const { detail, close, status } = FAULTS[code];
  const closes = isSocket(route) && close ? ` (close code ${close})` : '';
  const is_known = [401, 403].includes(status) && !route.refuses?.includes(code);
  return is_known ? `\`${code}\`${closes}.` : `\`${code}\`${closes}: ${detail}.`;
}
