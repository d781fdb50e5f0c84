import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { upgradeWebSocket } from '@hono/node-server';
import type { Context } from 'hono';
import type { WSEvents } from 'hono/ws';
import type { AppContext, RawSocket, Runtime } from '#api/http/env.ts';
import { Fault } from '#core/errors.ts';
import type { ByteSource } from '#core/ports/files.ts';
import { systemClock } from './adapters/clock.ts';
import { createAddressMatcher } from './config.ts';
import { readMultipart } from './multipart.ts';
import { relayTo } from './relay.ts';
import { requestBody } from './request-body.ts';

/** Node's side of what the application asks of its runtime. */
export function createNodeRuntime(trusted_proxies: readonly string[]): Runtime {
  return {
    remoteAddress: (c) => bindings(c).incoming?.socket.remoteAddress ?? '',
    isTrustedProxy: createAddressMatcher(trusted_proxies),
    isUpgrade: (c) => bindings(c).incoming !== undefined && bindings(c).outgoing === undefined,
    onGone: (c, run) => onSocketClose(bindings(c), run),
    body: bodyOf,
    multipart: (c) => readMultipart(bodyOf(c), c.req.header('content-type')),
    breakOff: (c) => bindings(c).outgoing?.destroy(),
    upgrade: (c, events) => upgradeWebSocket(c, nodeEvents(events)),
    relay: (c, url, headers) => upgradeWebSocket(c, nodeEvents(relayTo(url, headers))),
  };
}

/** Straight from the connection: the layers of a web stream would cost each piece some turns. */
function bodyOf(c: AppContext): ByteSource {
  const { incoming } = bindings(c);
  if (!incoming) throw new Fault('internal', 'There is no connection to read from');
  return requestBody(http1(incoming), systemClock.after);
}

/** The server speaks HTTP/1.1 alone. */
function http1(incoming: HttpBindings['incoming']): IncomingMessage {
  return incoming as IncomingMessage;
}

const listeners = new WeakMap<Socket, Set<() => void>>();

/** One listener for each connection, however many requests are pipelined on it; forgotten with the answer. */
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

/** The raw socket is the `ws` package's WebSocket, which has everything that RawSocket names. */
function nodeEvents(events: WSEvents<RawSocket>): Parameters<typeof upgradeWebSocket>[1] & object {
  return events as unknown as Parameters<typeof upgradeWebSocket>[1] & object;
}
