import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_LINGER_MS = 30_000; // browsers send the whole body before they read the response; nginx allows as much
const SILENCE_MS = 5000;

/**
 * RFC 9112 §9.6: while the client still sends, the connection is only half-closed and its data is discarded. Closing it
 * at once would reset it, and a reset discards the response.
 */
export function lingerBeforeClose(server: Server): void {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    outgoing.once('finish', () => endUnlessComplete(incoming));
    if (!latest.has(socket)) overrideClose(socket, () => latest.get(socket));
    latest.set(socket, incoming);
  });
}

/** After the response, the client gets limited time to send the rest of the body. */
function endUnlessComplete(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  const { socket } = incoming;
  const timer = setTimeout(() => {
    if (!incoming.complete) socket.destroy();
  }, MAX_LINGER_MS).unref();
  incoming.once('end', () => clearTimeout(timer));
}

/** Node and its Hono adapter both close with `destroySoon` once the response is written. */
function overrideClose(socket: Socket, latestRequest: () => IncomingMessage | undefined): void {
  const closeAtOnce = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    const incoming = latestRequest();
    socket.destroySoon = closeAtOnce;
    if (!incoming || incoming.complete || incoming.destroyed) closeAtOnce();
    else linger(socket, incoming);
  };
}

function linger(socket: Socket, incoming: IncomingMessage): void {
  const timer = setTimeout(() => socket.destroy(), MAX_LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  socket.end();
  incoming.once('end', () => socket.destroySoon());
  incoming.removeAllListeners('data').resume(); // a remaining listener would pause it again
}
