import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Listener, type ListenOptions, listen } from '#server/http/listen.ts';

/** A server as the gateway's, with these answers. */
export function listenWith(
  answer: (request: Request) => Response | Promise<Response>,
  options: ListenOptions = {},
): Promise<Listener> {
  const traffic = { watch: () => undefined, upgraded: () => undefined };
  return listen({ fetch: answer, traffic }, { host: '127.0.0.1', port: 0, trusted_proxies: [] }, options);
}

/** A connection on which nothing is sent. */
export async function silentConnection(port: number, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** However it ends: a reset is an end, too. */
export function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

export interface Asked {
  readonly request: ClientRequest;
  /** Its body is still to be read. */
  readonly response: IncomingMessage;
}

/** Asked over a connection of its own. */
export async function ask(port: number, path = '/'): Promise<Asked> {
  const asked = request({ port, path, agent: false });
  asked.on('error', () => undefined); // a reset after the answer is what tests wait for
  const [response] = await once(asked.end(), 'response');
  return { request: asked, response };
}
