import type { TypedResponse } from 'hono';
import type { ConnectionTests } from '#core/hosts/connection-tests.ts';
import type { ServerDirectory } from '#core/hosts/directory.ts';
import type { Servers } from '#core/hosts/servers.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { ConnectionTest, TestEvent } from '#core/model/hosts/connection-test.ts';
import type { Server } from '#core/model/hosts/server.ts';
import {
  acceptHostKey,
  clearHostKey,
  createServer,
  deleteServer,
  getServer,
  listServers,
  serverGroups,
  testServer,
  updateServer,
} from '../../contract/hosts/servers.ts';
import { paging } from '../../contract/shapes.ts';
import { sendKeptJson } from '../../http/compression.ts';
import type { Runtime } from '../../http/env.ts';
import { matchesAny } from '../../http/etags.ts';
import {
  EVENT_STREAM_HEADERS,
  type EventSource,
  eventStream,
  eventsOfWork,
  wantsEvents,
} from '../../http/event-stream.ts';
import { goneSignal } from '../../http/gone-signal.ts';
import type { Router } from '../../http/router.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';

/** Routes that an edge answers from the database. */
export function mountServerDirectory(router: Router, directory: ServerDirectory): void {
  router.on(listServers, async (c) => {
    const query = c.req.valid('query');
    const is_page = query.limit !== undefined || query.offset !== undefined;
    const page = is_page ? paging.parse(query) : {};
    const { json, etag, total_count } = await directory.list(c.var.caller, { ...query, ...page });
    c.header('Cache-Control', 'private, no-cache'); // browsers keep it, and ask each time whether it has changed
    c.header('ETag', etag);
    if (is_page) c.header('X-Total-Count', String(total_count));
    if (matchesAny(c.req.header('if-none-match'), etag)) return c.body(null, 304);
    return asServers(await sendKeptJson(c, json));
  });
  router.on(serverGroups, async (c) => c.json(await directory.groups(c.var.caller), 200));
  router.on(getServer, async (c) => c.json(await directory.get(c.var.caller, c.req.valid('param').id), 200));
}

/** The directory serializes each server of the list. */
function asServers(response: Response): Response & TypedResponse<Server[], 200, 'json'> {
  return response as Response & TypedResponse<Server[], 200, 'json'>;
}

interface Options {
  readonly servers: Servers;
  readonly connection_tests: ConnectionTests;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: StreamLog;
}

/** Routes that reach hosts, or close connections to them. */
export function mountServers(
  router: Router,
  { servers, connection_tests, runtime, after, log }: Options,
): void {
  router.on(createServer, async (c) =>
    c.json(await servers.create(c.var.caller, c.req.valid('json'), goneSignal(c, runtime)), 201),
  );

  router.on(updateServer, async (c) => {
    const { id } = c.req.valid('param');
    return c.json(await servers.update(c.var.caller, id, c.req.valid('json'), goneSignal(c, runtime)), 200);
  });

  router.on(deleteServer, async (c) => {
    await servers.remove(c.var.caller, c.req.valid('param').id);
    return c.body(null, 204);
  });

  router.on(acceptHostKey, async (c) => {
    const { host_key } = c.req.valid('json');
    return c.json(await servers.acceptHostKey(c.var.caller, c.req.valid('param').id, host_key), 200);
  });

  router.on(clearHostKey, async (c) =>
    c.json(await servers.clearHostKey(c.var.caller, c.req.valid('param').id), 200),
  );

  router.on(testServer, async (c) => {
    const { id } = c.req.valid('param');
    if (!wantsEvents(c.req.header('accept'))) {
      const gone = new AbortController();
      const forget = runtime.onGone(c, () => gone.abort());
      const test = await connection_tests.test(c.var.caller, id, { signal: gone.signal }).finally(forget);
      return c.json(test, 200);
    }
    await connection_tests.assertMayTest(c.var.caller, id);
    const events = testEvents((options) => connection_tests.test(c.var.caller, id, options));
    const body = streamedBody(c, eventStream(events, after), { runtime, log });
    return c.body(body, 200, EVENT_STREAM_HEADERS);
  });
}

interface Watched {
  readonly signal: AbortSignal;
  readonly watch: (event: TestEvent) => void;
}

function testEvents(run: (watched: Watched) => Promise<ConnectionTest>): EventSource {
  return eventsOfWork(async (signal, emit) => {
    const watch = (data: TestEvent) => emit({ name: 'test', data });
    watch({ type: 'result', result: await run({ signal, watch }) });
  });
}
