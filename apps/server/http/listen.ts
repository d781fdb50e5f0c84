import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type WebSocketServerLike } from '@hono/node-server';
import { type ServerOptions, WebSocketServer } from 'ws';
import { TERMINAL_SUBPROTOCOL } from '#core/model/terminal.ts';
import type { Config } from '../config/config.ts';
import type { Gateway } from '../gateway.ts';
import { createAddressMatcher } from '../lib/address-ranges.ts';
import { type ConnectionLimits, Connections, defaultLimits } from './connection-limits.ts';
import { continueWhenRead } from './expect-continue.ts';
import { assertUpgradableRequest, UpgradableRequest } from './internals/upgradable-request.ts';
import { lingerBeforeClose } from './lingering-close.ts';
import { refusingServers } from './raw-refusals.ts';
import { ReusingResponse } from './reusing-response.ts';
import { completeOldRequests, overrideMethods } from './tolerant-requests.ts';
import { createUpgrades } from './upgrades.ts';

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024; // the largest paste in one frame
const SOCKETS = {
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  handleProtocols: (offered: Set<string>) =>
    offered.has(TERMINAL_SUBPROTOCOL) ? TERMINAL_SUBPROTOCOL : false,
  // On a slow connection, the last MiB arrives before the answer to our close. Pings detect dead peers.
  closeTimeout: 120_000,
} satisfies ServerOptions & { closeTimeout: number };
const HEADERS_TIMEOUT_MS = 30_000; // also for connections that never send anything
const CHECKS_PER_TIMEOUT = 6; // Node notices a timeout at its next check
const IDLE_SWEEP_MS = 100;
const CLOSE_GRACE_MS = 30_000; // for transfers in progress when the gateway stops
const GOODBYE_MS = 2000; // for peers to answer the close of their WebSocket; some are suspended

export interface Listener {
  readonly port: number;
  /** From now on, each response asks its client to reconnect, to another instance if there is one. */
  drain(): void;
  /** Accepts no more connections; resolves when the last one has closed or the grace period is over. */
  close(): Promise<void>;
}

/** Overridden by tests. */
export interface ListenOptions {
  readonly headers_timeout_ms?: number;
  readonly close_grace_ms?: number;
  readonly limits?: ConnectionLimits;
}

export async function listen(
  gateway: Pick<Gateway, 'fetch' | 'traffic'>,
  config: Pick<Config, 'host' | 'port' | 'trusted_proxies'>,
  options: ListenOptions = {},
): Promise<Listener> {
  const { headers_timeout_ms = HEADERS_TIMEOUT_MS, close_grace_ms = CLOSE_GRACE_MS } = options;
  const { limits = defaultLimits(createAddressMatcher(config.trusted_proxies)) } = options;
  assertUpgradableRequest();
  const sockets = new WebSocketServer(SOCKETS);
  sockets.on('connection', (socket, { socket: connection }) =>
    Object.assign(socket, { receivedBytes: () => connection.bytesRead }),
  );
  const upgrades = createUpgrades(gateway, sockets);
  const server = httpServer(
    createAdaptorServer({
      fetch: upgrades.fetch,
      createServer: refusingServers(gateway.fetch),
      websocket: { server: withoutServer(sockets) },
      // An upload has no time limit: the code that reads the body detects silence.
      serverOptions: {
        headersTimeout: headers_timeout_ms,
        connectionsCheckingInterval: headers_timeout_ms / CHECKS_PER_TIMEOUT,
        requestTimeout: 0,
        requireHostHeader: false, // the adapter does, and answers like everything else
        IncomingMessage: UpgradableRequest,
        ServerResponse: ReusingResponse,
      },
    }),
  );
  continueWhenRead(server);
  lingerBeforeClose(server);
  completeOldRequests(server);
  overrideMethods(server);
  gateway.traffic.watch(server);
  const connections = new Connections(server, limits);
  upgrades.takeOver(server, (socket) => {
    connections.upgraded(socket);
    gateway.traffic.upgraded(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ListenFailed(config, error)));
    server.listen(config.port, config.host, resolve);
  });
  return {
    port: portOf(server),
    drain: () => askToLeave(server),
    close: () => closeServer({ server, sockets, connections, close_grace_ms }),
  };
}

/** Ends the start with one line. */
export class ListenFailed extends Error {
  override name = 'ListenFailed';
  constructor({ host, port }: Pick<Config, 'host' | 'port'>, cause: Error) {
    const code = 'code' in cause ? String(cause.code) : cause.message;
    super(`Cannot listen on ${host}, port ${port}: ${REASONS[code] ?? code}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use (set another one with SERVICE_PORT)',
  EADDRNOTAVAIL: 'this machine does not have that address (set another one with SERVICE_HOST)',
  ENOTFOUND: 'the name does not resolve (set another one with SERVICE_HOST)',
  EACCES: 'permission denied (ports below 1024 need a privilege)',
};

/** RFC 9112 §9.6. */
function askToLeave(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
}

interface Closing {
  readonly server: Server;
  readonly sockets: WebSocketServer;
  readonly connections: Connections;
  readonly close_grace_ms: number;
}

function closeServer({ server, sockets, connections, close_grace_ms }: Closing): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
    }, close_grace_ms);
    const goodbye = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, GOODBYE_MS);
    // Idle keep-alive connections would otherwise stay open for their next request.
    const sweep = setInterval(() => connections.closeWaiting(), IDLE_SWEEP_MS);
    const closed = () => {
      clearTimeout(deadline);
      clearTimeout(goodbye);
      clearInterval(sweep);
      resolve();
    };
    afterOnePoll(() => {
      server.close(closed);
      connections.closeWaiting();
    });
  });
}

/** By then, what waited in the accept queue of the kernel is accepted; closing the server would reset it. */
function afterOnePoll(run: () => void): void {
  setImmediate(() => setImmediate(run)); // the first one may still belong to the present turn of the event loop
}

/** Created with `noServer: true`, which its type does not express. */
function withoutServer(sockets: WebSocketServer): WebSocketServerLike {
  return sockets as WebSocketServerLike;
}

/** Created without TLS options, so it is a node:http server. */
function httpServer(server: ReturnType<typeof createAdaptorServer>): Server {
  return server as Server;
}

/** A TCP listener's address is an object. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
