import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocketServer } from 'ws';
import { Fault } from '#core/errors.ts';
import type { Gateway } from '../gateway.ts';
import { refuseOn, sendOn } from './raw-refusals.ts';

export interface Upgrades {
  /** The application for upgrades: sends its refusals with their bodies, which the adapter would drop. */
  readonly fetch: Gateway['fetch'];
  /** Call it once the adapter has added its listener. */
  takeOver(server: Server, upgraded: (socket: Socket) => void): void;
}

/** Answers every upgrade that does not become a WebSocket. */
export function createUpgrades(gateway: Pick<Gateway, 'fetch'>, sockets: WebSocketServer): Upgrades {
  const answered = new WeakSet<IncomingMessage>();
  sockets.on('connection', (_socket, request) => answered.add(request));
  sockets.on('wsClientError', (_error, socket, request) => {
    answered.add(request);
    refuseOn(connectionOf(socket), new Fault('bad_request', 'The WebSocket handshake is not valid'));
  });
  return {
    async fetch(request, bindings) {
      const response = await gateway.fetch(request, bindings);
      const { incoming } = upgradeOf(bindings);
      if (incoming && !response.ok) {
        answered.add(incoming);
        await sendOn(incoming.socket, response);
      }
      return response;
    },

    takeOver(server, upgraded) {
      const [upgradeWebSocket] = server.listeners('upgrade');
      server.removeAllListeners('upgrade');
      server.on('upgrade', async (request: IncomingMessage, socket: Socket, head: Buffer) => {
        upgraded(socket);
        const refusal = refusalOf(request);
        if (refusal) return refuseOn(socket, ...refusal);
        await upgradeWebSocket?.call(server, request, socket, head);
        if (!answered.has(request)) refuseOn(socket, new Fault('bad_request'));
      });
      server.on('upgrade', () => undefined); // beside a second listener, the adapter sends no refusals
    },
  };
}

/** A POST would otherwise be treated as a GET. */
function refusalOf({ method, headers }: IncomingMessage): [Fault, Record<string, string>?] | undefined {
  if (method !== 'GET') return [new Fault('method_not_allowed'), { Allow: 'GET' }];
  return URL.canParse(`http://${headers.host ?? ''}`) ? undefined : [new Fault('bad_request')];
}

/** The adapter passes these bindings. */
function upgradeOf(bindings: unknown): { readonly incoming?: IncomingMessage } {
  return bindings as { readonly incoming?: IncomingMessage };
}

/** An HTTP server upgrades TCP connections. */
function connectionOf(socket: unknown): Socket {
  return socket as Socket;
}
