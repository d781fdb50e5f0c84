import type { GatewayClient } from '../client.ts';
import { openTerminalSocket, type SocketEvents, type TerminalSocket } from './socket.ts';
import { type SocketRequest, socketRequestFor, type TerminalSize } from './target.ts';

const KEPT_MS = 3000; // a terminal that is being built takes it far sooner
const UNUSED = 1000; // ends the shell

interface Wanted {
  readonly client: GatewayClient;
  readonly server_id: number;
  readonly size: TerminalSize;
}

interface Requested {
  readonly path: string;
  adopt(events: SocketEvents): TerminalSocket;
  drop(): void;
}

const requested = new WeakMap<GatewayClient, Requested>();

/**
 * Requests a shell before its terminal is built, which keeps the page busy. The next terminal on this server takes it over;
 * without one it ends. Resolves when the shell has been requested or cannot be.
 */
export function requestShell({ client, server_id, size }: Wanted): Promise<void> {
  requested.get(client)?.drop();
  const request = socketRequestFor({ kind: 'server', server_id }, size, client.client_id);
  const events = createLateEvents();
  return new Promise((resolve) => {
    const socket = openTerminalSocket({
      client,
      request,
      events: {
        ...events,
        opened() {
          if (request.hello) socket.send(request.hello(size));
          resolve();
          events.opened();
        },
        closed(code, reason) {
          resolve();
          events.closed(code, reason);
        },
        refused(error) {
          resolve();
          events.refused(error);
        },
      },
    });
    const drop = () => {
      clearTimeout(timer);
      if (requested.get(client) === own) requested.delete(client); // a later terminal would wait for a dead socket
      resolve();
      socket.leave(UNUSED);
    };
    const timer = setTimeout(drop, KEPT_MS);
    const own: Requested = {
      path: request.path,
      drop,
      adopt(given) {
        clearTimeout(timer);
        events.pass(given);
        return withoutHello(socket, size);
      },
    };
    requested.set(client, own);
  });
}

/** The socket on which this shell was requested; it tells its events from the beginning. */
export function takeRequested(
  client: GatewayClient,
  { path }: SocketRequest,
  events: SocketEvents,
): TerminalSocket | undefined {
  const found = requested.get(client);
  if (found?.path !== path) return undefined;
  requested.delete(client);
  return found.adopt(events);
}

/** The shell was requested already, perhaps in another size. */
function withoutHello(socket: TerminalSocket, size: TerminalSize): TerminalSocket {
  return {
    ...socket,
    send(frame) {
      if (frame.type !== 'open') socket.send(frame);
      else if (frame.cols !== undefined && frame.rows !== undefined) {
        const { cols, rows } = frame;
        if (cols !== size.cols || rows !== size.rows) socket.send({ type: 'resize', cols, rows });
      }
    },
  };
}

interface LateEvents extends SocketEvents {
  /** Passes on what happened so far, after this turn, and what happens from then on. */
  pass(given: SocketEvents): void;
}

function createLateEvents(): LateEvents {
  const happened: ((events: SocketEvents) => void)[] = [];
  let listener: SocketEvents | undefined;
  function tell(what: (events: SocketEvents) => void): void {
    if (listener) what(listener);
    else happened.push(what);
  }
  return {
    opened: () => tell((events) => events.opened()),
    bytes: (bytes) => tell((events) => events.bytes(bytes)),
    frame: (frame) => tell((events) => events.frame(frame)),
    closed: (code, reason) => tell((events) => events.closed(code, reason)),
    refused: (error) => tell((events) => events.refused(error)),
    pass: (given) =>
      queueMicrotask(() => {
        listener = given;
        for (const what of happened.splice(0)) what(given);
      }),
  };
}
