import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Stands in for an SDK loaded before the gateway: keeps finished spans in memory. */
export interface KeptSpans {
  all(): readonly ReadableSpan[];
  named(name: string): ReadableSpan | undefined;
  stop(): void;
}

export function keepSpans(): KeptSpans {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(asyncContexts());
  propagation.setGlobalPropagator(traceParents);
  const all = () => exporter.getFinishedSpans();
  return {
    all,
    named: (name) => all().find((span) => span.name === name),
    stop() {
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

function asyncContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...args) => storage.run(active, () => run.call(self as never, ...args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** W3C Trace Context §3.2, only as much as incoming requests need. */
const traceParents: TextMapPropagator = {
  inject: () => undefined,
  extract(active, carrier, { get }) {
    const [, traceId, spanId] =
      /^00-([\da-f]{32})-([\da-f]{16})-01$/.exec(String(get(carrier, 'traceparent'))) ?? [];
    if (!traceId || !spanId) return active;
    return trace.setSpanContext(active, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  fields: () => ['traceparent'],
};
