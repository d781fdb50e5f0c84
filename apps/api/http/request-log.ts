import type { AppMiddleware } from './env.ts';

export interface RequestLog {
  info(fields: object, message: string): void;
}

/** Gives the request its id and writes one line when it is answered; never the query, which may hold a ticket. */
export function requestLog(log: RequestLog): AppMiddleware {
  return async function logRequest(c, next) {
    const started = performance.now();
    const request_id = crypto.randomUUID();
    c.set('request_id', request_id);
    c.header('X-Request-Id', request_id);
    await next();
    const ms = Math.round(performance.now() - started);
    const { method, path } = c.req;
    log.info({ request_id, method, path, status: c.res.status, ms, ip: c.get('ip_address') }, 'request');
  };
}
