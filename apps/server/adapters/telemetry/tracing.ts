import type { Span as ApiSpan } from '@opentelemetry/api';
import type { RequestTracer } from '#api/http/request-span.ts';
import { Fault } from '#core/errors.ts';
import type { Log } from '#core/ports/runtime.ts';
import type { Span, Tracer } from '#core/ports/tracing.ts';

type Api = typeof import('@opentelemetry/api');

/** Spans for requests and for the work that they trigger. */
export interface Tracing extends Tracer, RequestTracer {}

const MISSING =
  'SERVICE_TRACING is on, but the package @opentelemetry/api cannot be loaded, so nothing is traced. Install it next to the gateway';

/** Undefined when tracing is off or its package is not installed. */
export async function openTracing(
  { tracing, version }: { readonly tracing: boolean; readonly version: string },
  log: Log,
  load: () => Promise<Api> = () => import('@opentelemetry/api'),
): Promise<Tracing | undefined> {
  if (!tracing) return undefined;
  try {
    return createTracing(await load(), version);
  } catch (err) {
    log.warn({ err }, MISSING);
    return undefined;
  }
}

function createTracing(api: Api, version: string): Tracing {
  const { SpanKind, context, propagation, trace } = api;
  const tracer = trace.getTracer('sallyport', version);
  return {
    span: (name, attributes, run) =>
      tracer.startActiveSpan(name, { attributes }, (span) => during(api, span, run)),

    request(headers, run) {
      const parent = propagation.extract(context.active(), headers);
      return tracer.startActiveSpan('request', { kind: SpanKind.SERVER }, parent, (span) =>
        during(api, span, run),
      );
    },
  };
}

async function during<T>(api: Api, span: ApiSpan, run: (span: Span) => Promise<T>): Promise<T> {
  try {
    return await run({
      rename: (name) => void span.updateName(name),
      set(attributes) {
        span.setAttributes(attributes);
        if (isFailure(attributes)) span.setStatus({ code: api.SpanStatusCode.ERROR });
      },
    });
  } catch (error) {
    // Never the message: it may contain names that people chose, and in errors of libraries anything.
    span.setAttribute('error.type', error instanceof Fault ? error.code : 'internal');
    span.setStatus({ code: api.SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** OpenTelemetry's rule for servers: an error of the client is not a failed span. */
function isFailure(attributes: Parameters<Span['set']>[0]): boolean {
  return Number(attributes['http.response.status_code']) >= 500;
}
