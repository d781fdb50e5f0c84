import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { upgradeWebSocket } from '@hono/node-server';
import type { Context } from 'hono';
import type { WSEvents } from 'hono/ws';
import type { AppContext, RawSocket, Runtime } from '#api/http/env.ts';
import { Fault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { ByteSource } from '#core/ports/files.ts';
import { inRequest, keepRequest } from '../adapters/telemetry/request-context.ts';
import { createAddressMatcher } from '../lib/address-ranges.ts';
import { systemClock } from '../lib/clock.ts';
import { createJsonParser } from './json-parser.ts';
import { readMultipart } from './multipart.ts';
import { createRelays, type Relays } from './relay.ts';
import { requestBody } from './request-body.ts';
import { createUnreadAnswers } from './unread-answers.ts';

/** The runtime interface of the application, on Node. */
export function createNodeRuntime(
  trusted_proxies: readonly string[],
  after: After = systemClock.after,
  relays: Pick<Relays, 'relayTo'> = createRelays(),
): Runtime {
  const bodyOf = bodyReader(after);
  const bound = createUnreadAnswers();
  return {
    remoteAddress: (c) => bindings(c).incoming?.socket.remoteAddress ?? '',
    isTrustedProxy: createAddressMatcher(trusted_proxies),
    isUpgrade: (c) => bindings(c).incoming !== undefined && bindings(c).outgoing === undefined,
    inRequest,
    onGone: (c, run) => onSocketClose(bindings(c), run),
    onAnswered: (c, run) => onAnswered(bindings(c), run),
    boundUnread(c, bounds) {
      const { outgoing } = bindings(c);
      if (outgoing) bound(http1Response(outgoing), bounds, (run) => onAnswered(bindings(c), run));
    },
    body: bodyOf,
    parseJson: createJsonParser(),
    multipart: (c) => readMultipart(bodyOf(c), c.req.header('content-type')),
    breakOff: (c) => bindings(c).outgoing?.destroy(),
    upgrade: (c, events) => upgradeWebSocket(upgradeOnly(c), nodeEvents(inThisRequest(events))),
    relay: (c, url, options) => upgradeWebSocket(upgradeOnly(c), nodeEvents(relays.relayTo(url, options))),
  };
}

/** Reads from the connection directly: a web stream would add event-loop turns to every chunk. */
function bodyReader(after: After): (c: AppContext) => ByteSource {
  return (c) => {
    const { incoming } = bindings(c);
    if (!incoming) throw new Fault('internal', 'The request has no connection to read from');
    return requestBody(http1(incoming), after);
  };
}

/** The server speaks only HTTP/1.1. */
function http1(incoming: HttpBindings['incoming']): IncomingMessage {
  return incoming as IncomingMessage;
}

function http1Response(outgoing: HttpBindings['outgoing']): ServerResponse {
  return outgoing as ServerResponse;
}

const listeners = new WeakMap<Socket, Set<() => void>>();

/** One listener per connection, however many requests are pipelined on it; removed when the response is sent. */
function onSocketClose({ incoming, outgoing }: Partial<HttpBindings>, run: () => void): () => void {
  if (!incoming) return () => undefined;
  const { socket } = incoming;
  const runs = listeners.get(socket) ?? listenTo(socket);
  runs.add(run);
  if (socket.destroyed) queueMicrotask(() => runs.delete(run) && run());
  const forget = () => runs.delete(run);
  outgoing?.once('finish', forget);
  return forget;
}

/** The connection may close while the answer is still behind others on it, and then the answer itself never closes. */
function onAnswered(request: Partial<HttpBindings>, run: () => void): void {
  let is_over = false;
  const once = () => {
    if (is_over) return;
    is_over = true;
    forget();
    run();
  };
  const forget = onSocketClose(request, once);
  request.outgoing?.once('close', once);
}

function listenTo(socket: Socket): Set<() => void> {
  const runs = new Set<() => void>();
  listeners.set(socket, runs);
  socket.once('close', () => {
    for (const run of runs) run();
  });
  return runs;
}

/** `@hono/node-server` passes these with every request; `outgoing` is missing on an upgrade. */
function bindings(c: AppContext): Partial<HttpBindings> {
  return (c as unknown as Context<{ Bindings: Partial<HttpBindings> }>).env ?? {};
}

/** Socket events fire outside the async context of the request that opened the socket. */
function inThisRequest(events: WSEvents<RawSocket>): WSEvents<RawSocket> {
  const enter = keepRequest();
  return {
    onOpen: (event, ws) => enter(() => events.onOpen?.(event, ws)),
    onMessage: (event, ws) => enter(() => events.onMessage?.(event, ws)),
    onClose: (event, ws) => enter(() => events.onClose?.(event, ws)),
    onError: (event, ws) => enter(() => events.onError?.(event, ws)),
  };
}

/** What `upgradeWebSocket` reads. Its listeners would keep the whole context for as long as the socket is open. */
function upgradeOnly(c: AppContext): AppContext {
  const { url } = c.req;
  const upgrade = c.req.header('upgrade');
  return { env: c.env, req: { url, header: () => upgrade } } as unknown as AppContext;
}

/** The raw socket is the `ws` package's WebSocket, which has everything that RawSocket names. */
function nodeEvents(events: WSEvents<RawSocket>): Parameters<typeof upgradeWebSocket>[1] & object {
  return events as unknown as Parameters<typeof upgradeWebSocket>[1] & object;
}
