import type { AppMiddleware, Runtime } from './env.ts';

export interface RequestLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Gives the request its id and writes one line when it is answered; never the query, which may hold a ticket. */
export function requestLog(log: RequestLog, runtime: Pick<Runtime, 'isUpgrade'>): AppMiddleware {
  return async function logRequest(c, next) {
    const started = performance.now();
    const request_id = crypto.randomUUID();
    c.set('request_id', request_id);
    c.header('X-Request-Id', request_id);
    await next();
    const ms = Math.round(performance.now() - started);
    const { method, path } = c.req;
    const status = runtime.isUpgrade(c) && c.res.ok ? 101 : c.res.status;
    const level = path === '/api/health' ? 'debug' : 'info'; // probes come every few seconds
    log[level]({ request_id, method, path, status, ms, ip: c.get('ip_address') }, 'request');
  };
}
