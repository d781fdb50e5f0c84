import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAdaptorServer, type WebSocketServerLike } from '@hono/node-server';
import { type ServerOptions, WebSocketServer } from 'ws';
import type { Gateway } from './compose.ts';
import type { Config } from './config.ts';
import { continueWhenRead } from './expect-continue.ts';
import { lingerBeforeClose } from './lingering-close.ts';

const SUBPROTOCOL = 'sallyport.v1';
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024; // the largest paste in one frame
const SOCKETS = {
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  handleProtocols: (offered: Set<string>) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  // The last MiB over a slow line comes before the answer to our close; who is gone is found by pings.
  closeTimeout: 120_000,
} satisfies ServerOptions & { closeTimeout: number };
const HEADERS_TIMEOUT_MS = 30_000;
const IDLE_SWEEP_MS = 100;
const CLOSE_GRACE_MS = 30_000; // for transfers under way when the gateway stops
const GOODBYE_MS = 2000; // for peers to answer the close of their WebSocket; some are asleep

export interface Listener {
  readonly port: number;
  /** No new connection; resolves when the last one has ended or the grace is over. */
  close(): Promise<void>;
}

export async function listen(
  gateway: Pick<Gateway, 'fetch'>,
  config: Pick<Config, 'host' | 'port'>,
): Promise<Listener> {
  const sockets = new WebSocketServer(SOCKETS);
  sockets.on('connection', (socket, { socket: connection }) =>
    Object.assign(socket, { receivedBytes: () => connection.bytesRead }),
  );
  const server = httpServer(
    createAdaptorServer({
      fetch: gateway.fetch,
      websocket: { server: withoutServer(sockets) },
      // An upload takes as long as it takes: whoever reads a body minds how long it stays away.
      serverOptions: { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: 0 },
    }),
  );
  answerForeignUpgrades(server);
  continueWhenRead(server);
  lingerBeforeClose(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new ListenFailed(config, error)));
    server.listen(config.port, config.host, resolve);
  });
  return { port: portOf(server), close: () => closeServer(server, sockets) };
}

/** Stops the start with one line. */
export class ListenFailed extends Error {
  override name = 'ListenFailed';
  constructor({ host, port }: Pick<Config, 'host' | 'port'>, cause: Error) {
    const code = 'code' in cause ? String(cause.code) : cause.message;
    super(`Cannot listen on ${host}, port ${port}: ${REASONS[code] ?? code}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there already (SERVICE_PORT sets the port)',
  EADDRNOTAVAIL: 'this machine has no such address (SERVICE_HOST sets it)',
  ENOTFOUND: 'the name does not resolve (SERVICE_HOST sets it)',
  EACCES: 'this user may not (ports below 1024 need a privilege)',
};

function closeServer(server: Server, sockets: WebSocketServer): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
    }, CLOSE_GRACE_MS);
    const goodbye = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, GOODBYE_MS);
    // A connection that has had its answer stays open for its next request: nobody waits for that.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    server.close(() => {
      clearTimeout(deadline);
      clearTimeout(goodbye);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** An upgrade that is no WebSocket handshake (h2c, a POST) would otherwise wait for ever, or be taken for a GET. */
function answerForeignUpgrades(server: Server): void {
  const [upgradeWebSocket] = server.listeners('upgrade');
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = refusalOf(request);
    if (refusal) socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else upgradeWebSocket?.call(server, request, socket, head);
  });
}

function refusalOf({ method, headers }: IncomingMessage): string | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return '426 Upgrade Required\r\nUpgrade: websocket';
  if (method !== 'GET') return '405 Method Not Allowed\r\nAllow: GET';
  return URL.canParse(`http://${headers.host ?? ''}`) ? undefined : '400 Bad Request';
}

/** Created with `noServer: true`, which its type forgets. */
function withoutServer(sockets: WebSocketServer): WebSocketServerLike {
  return sockets as WebSocketServerLike;
}

/** Created without TLS options, it is node:http's. */
function httpServer(server: ReturnType<typeof createAdaptorServer>): Server {
  return server as Server;
}

/** Listening on TCP, the address is an object. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
