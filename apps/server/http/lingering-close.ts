import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const LONGEST_MS = 10_000; // browsers send all of a body before they look for the answer
const SILENCE_MS = 5000;

/**
 * RFC 9112 §9.6: a connection to be closed while its client still sends is only half-closed, and what comes is thrown
 * away until the client is done. Closed at once, it would be reset, and a reset overtakes the answer.
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

/** Answered already, nobody reads the rest of a body: it may come, but not for ever. */
function endUnlessComplete(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  const { socket } = incoming;
  const timer = setTimeout(() => {
    if (!incoming.complete) socket.destroy();
  }, LONGEST_MS).unref();
  incoming.once('end', () => clearTimeout(timer));
}

/** Node and its adapter both close by `destroySoon` once an answer is written. */
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
  const timer = setTimeout(() => socket.destroy(), LONGEST_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  socket.end();
  incoming.once('end', () => socket.destroySoon());
  incoming.removeAllListeners('data').resume(); // a listener that is left would pause it again
}
