import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAdaptorServer, type WebSocketServerLike } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import type { Gateway } from './compose.ts';
import type { Config } from './config.ts';

const SUBPROTOCOL = 'sallyport.v1';
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024; // the largest paste in one frame
const HEADERS_TIMEOUT_MS = 30_000;
const CLOSE_GRACE_MS = 10_000; // for requests under way when the gateway stops

export interface Listener {
  readonly port: number;
  /** No new connection; resolves when the last one has ended or the grace is over. */
  close(): Promise<void>;
}

export async function listen(
  gateway: Pick<Gateway, 'fetch'>,
  config: Pick<Config, 'host' | 'port'>,
): Promise<Listener> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const server = httpServer(
    createAdaptorServer({
      fetch: gateway.fetch,
      websocket: { server: withoutServer(sockets) },
      serverOptions: { headersTimeout: HEADERS_TIMEOUT_MS },
    }),
  );
  answerForeignUpgrades(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  return { port: portOf(server), close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** An upgrade to anything but a WebSocket (h2c, say) would otherwise wait for ever. */
function answerForeignUpgrades(server: Server): void {
  const [upgradeWebSocket] = server.listeners('upgrade');
  server.removeAllListeners('upgrade');
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket')
      upgradeWebSocket?.call(server, request, socket, head);
    else
      socket.end(
        'HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      );
  });
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
