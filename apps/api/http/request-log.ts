import type { AppContext, AppMiddleware, Runtime } from './env.ts';

export interface RequestLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

export interface AnsweredRequest {
  readonly method: string;
  /** The route's path in the contract, never the requested path; undefined for anything that is not an operation. */
  readonly route: string | undefined;
  readonly status: number;
  /** Until the response started. */
  readonly seconds: number;
}

export interface RequestLogOptions {
  readonly log: RequestLog;
  readonly runtime: Pick<Runtime, 'isUpgrade' | 'inRequest'>;
  /** Called for every request as well. */
  readonly watch?: ((request: AnsweredRequest) => void) | undefined;
}

const PROBES = new Set(['/api/health', '/api/health/ready', '/metrics']); // polled every few seconds

// A mistyped path may hold a token, too.
const UNMATCHED = 'unmatched';
const PAGE = 'page';

/** Assigns the request id and logs one line per request: the route, never the path or the query, which may contain a token. */
export function requestLog({ log, runtime, watch = () => undefined }: RequestLogOptions): AppMiddleware {
  return async function logRequest(c, next) {
    const started_ms = performance.now();
    const request_id = crypto.randomUUID();
    c.set('request_id', request_id);
    c.header('X-Request-Id', request_id);
    await runtime.inRequest(request_id, next);
    const elapsed_ms = performance.now() - started_ms;
    const { method } = c.req;
    const route = c.get('route');
    const status = statusOf(c, runtime);
    watch({ method, route, status, seconds: elapsed_ms / 1000 });
    const level = PROBES.has(route ?? '') ? 'debug' : 'info';
    const logged = route ?? (c.req.path.startsWith('/api/') ? UNMATCHED : PAGE);
    const ms = Math.round(elapsed_ms);
    const fields = { request_id, method, route: logged, status, ms, ip: c.get('ip_address') };
    log[level](fields, 'request');
  };
}

export function statusOf(c: AppContext, runtime: Pick<Runtime, 'isUpgrade'>): number {
  return runtime.isUpgrade(c) && c.res.ok ? 101 : c.res.status;
}
