import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { upgradeWebSocket } from '@hono/node-server';
import type { Context } from 'hono';
import type { WSEvents } from 'hono/ws';
import type { AppContext, RawSocket, Runtime } from '#api/http/env.ts';
import { createAddressMatcher } from './config.ts';

/** Node's side of what the application asks of its runtime. */
export function createNodeRuntime(trusted_proxies: readonly string[]): Runtime {
  return {
    remoteAddress: (c) => bindings(c).incoming?.socket.remoteAddress ?? '',
    isTrustedProxy: createAddressMatcher(trusted_proxies),
    isUpgrade: (c) => bindings(c).incoming !== undefined && bindings(c).outgoing === undefined,
    onGone: (c, run) => onSocketClose(bindings(c).incoming?.socket, run),
    breakOff: (c) => bindings(c).outgoing?.destroy(),
    upgrade: (c, events) => upgradeWebSocket(c, nodeEvents(events)),
  };
}

const listeners = new WeakMap<Socket, Set<() => void>>();

/** One listener for each connection, however many requests are pipelined on it. */
function onSocketClose(socket: Socket | undefined, run: () => void): () => void {
  if (!socket) return () => undefined;
  const runs = listeners.get(socket) ?? listenTo(socket);
  runs.add(run);
  if (socket.destroyed) queueMicrotask(() => runs.delete(run) && run());
  return () => runs.delete(run);
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
