import type { AppMiddleware, Runtime } from './env.ts';
import { statusOf } from './request-log.ts';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Starts a span for a request, as a child of the one in its headers. */
export interface RequestTracer {
  request<T>(
    headers: Readonly<Record<string, string>>,
    run: (span: { set(attributes: Attributes): void; rename(name: string): void }) => Promise<T>,
  ): Promise<T>;
}

/** Names the span after the route: the path may contain user data. */
export function traceRequests(tracer: RequestTracer, runtime: Pick<Runtime, 'isUpgrade'>): AppMiddleware {
  return async function traceRequest(c, next) {
    const { traceparent, tracestate } = c.req.header();
    const headers = { ...(traceparent ? { traceparent } : {}), ...(tracestate ? { tracestate } : {}) };
    await tracer.request(headers, async (span) => {
      await next();
      const { method } = c.req;
      const route = c.get('route');
      span.rename(route === undefined ? method : `${method} ${route}`);
      span.set({
        'http.request.method': method,
        ...(route === undefined ? {} : { 'http.route': route }),
        'http.response.status_code': statusOf(c, runtime),
        request_id: c.var.request_id,
      });
    });
  };
}
