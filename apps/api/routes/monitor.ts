import type { After } from '#core/lib/time/timers.ts';
import type { ServerEvents } from '#core/monitor/events.ts';
import type { ServerStatuses } from '#core/monitor/statuses.ts';
import { serverEvents, serverStatus, serverStatuses } from '../contract/monitor.ts';
import type { Runtime } from '../http/env.ts';
import { EVENT_STREAM_HEADERS, eventStream } from '../http/event-stream.ts';
import type { Router } from '../http/router.ts';
import { type StreamLog, streamedBody } from '../http/streamed-body.ts';

/** Routes that an edge answers from the database. */
export function mountServerStatuses(router: Router, statuses: ServerStatuses): void {
  router.on(serverStatuses, async (c) => c.json(await statuses.list(c.var.caller), 200));
  router.on(serverStatus, async (c) =>
    c.json(await statuses.get(c.var.caller, c.req.valid('param').id), 200),
  );
}

interface EventOptions {
  readonly server_events: ServerEvents;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: StreamLog;
}

export function mountServerEvents(
  router: Router,
  { server_events, runtime, after, log }: EventOptions,
): void {
  router.on(serverEvents, async (c) => {
    const source = await server_events.subscribe(c.var.caller);
    const next = async () => {
      const data = await source.next();
      return data && [{ name: 'status', data }];
    };
    const body = streamedBody(c, eventStream({ next, stop: source.stop }, after), { runtime, log });
    return c.body(body, 200, EVENT_STREAM_HEADERS);
  });
}
