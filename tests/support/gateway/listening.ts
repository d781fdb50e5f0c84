import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Listener, type ListenOptions, listen } from '#server/http/listen.ts';

/** Listens with the gateway's HTTP server and these responses. */
export function listenWith(
  answer: (request: Request) => Response | Promise<Response>,
  options: ListenOptions = {},
): Promise<Listener> {
  const traffic = { watch: () => undefined, upgraded: () => undefined };
  return listen({ fetch: answer, traffic }, { host: '127.0.0.1', port: 0, trusted_proxies: [] }, options);
}

/** Opens a connection and sends nothing. */
export async function silentConnection(port: number, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves on close, also after a reset. */
export function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

export interface Asked {
  readonly request: ClientRequest;
  /** The body has not been read yet. */
  readonly response: IncomingMessage;
}

/** Sends a request over its own connection. */
export async function ask(port: number, path = '/'): Promise<Asked> {
  const asked = request({ port, path, agent: false });
  asked.on('error', () => undefined); // tests wait for the reset after the response
  const [response] = await once(asked.end(), 'response');
  return { request: asked, response };
}
