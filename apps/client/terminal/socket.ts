import { admissionBy } from '../admission.ts';
import { type GatewayClient, take } from '../client.ts';
import { ClientError, networkError } from '../transport/client-error.ts';
import type { PlainSocket, SocketConstructor } from '../transport/plain-socket.ts';
import { SocketBlocked } from './blocked.ts';
import type { GatewayFrame } from './ending.ts';
import type { ClientFrame, QuickOpenFrame, SocketRequest } from './target.ts';

export const SUBPROTOCOL = 'sallyport.v1';
const PREPARED_MS = 3000; // far less than a ticket is valid
const NEVER_OPENED = 1006; // RFC 6455 §7.1.5: all that a browser tells
const OPENS_WITHIN_MS = 15_000; // on a network that drops packets a browser waits for minutes

export interface SocketEvents {
  opened(): void;
  bytes(bytes: Uint8Array): void;
  frame(frame: GatewayFrame): void;
  closed(code: number, reason: string): void;
  /** The socket could not be opened. */
  refused(error: unknown): void;
}

export interface TerminalSocket {
  isOpen(): boolean;
  send(frame: ClientFrame | QuickOpenFrame): void;
  input(bytes: Uint8Array<ArrayBuffer>): void;
  /** Closes the socket. No more events follow. */
  leave(code: number): void;
}

interface Opening {
  readonly client: GatewayClient;
  readonly request: SocketRequest;
  readonly events: SocketEvents;
}

/** One socket of a terminal, opened with its own ticket. */
export function openTerminalSocket({ client, request, events }: Opening): TerminalSocket {
  const Socket = constructorFor(client);
  const ending = new AbortController(); // a ticket that never comes would keep Node running
  let socket: PlainSocket | undefined;
  let has_opened = false;
  let is_over = false;

  function end(tell: () => void): void {
    if (is_over) return;
    is_over = true;
    ending.abort();
    clearTimeout(timer);
    tell();
  }

  function refuse(error: unknown): void {
    end(() => {
      socket?.close();
      events.refused(error);
    });
  }

  function connect(url: URL): void {
    const made: PlainSocket = new Socket(url.href, [SUBPROTOCOL]);
    made.binaryType = 'arraybuffer';
    made.onopen = () => {
      clearTimeout(timer);
      has_opened = true;
      if (!is_over) events.opened();
    };
    made.onmessage = ({ data }: { readonly data: unknown }) => {
      if (!is_over && !pass(data, events))
        refuse(networkError('The gateway sent something that is not a frame'));
    };
    made.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) => {
      if (code === NEVER_OPENED && !has_opened) refuse(new SocketBlocked());
      else end(() => events.closed(code, reason));
    };
    made.onerror = () => undefined; // `onclose` follows; in Node an error without a listener ends the process
    socket = made;
  }

  const late = 'The socket did not open in time';
  const timer = setTimeout(
    () => refuse(socket ? new SocketBlocked(late) : networkError(late)),
    OPENS_WITHIN_MS,
  );
  addressOf(client, request, ending.signal)
    .then((url) => {
      if (!is_over) connect(url);
    })
    .catch(refuse);

  return {
    isOpen: () => !is_over && socket?.readyState === 1,
    send: (frame) => socket?.send(JSON.stringify(frame)),
    input: (bytes) => socket?.send(bytes),
    leave: (code) => end(() => socket?.close(code)),
  };
}

function constructorFor(client: GatewayClient): SocketConstructor {
  if (client.WebSocket) return client.WebSocket;
  if (typeof WebSocket === 'function') return WebSocket;
  const detail = 'This runtime has no WebSocket: pass one to createClient';
  throw new ClientError({ status: 0, code: 'no_websocket', detail });
}

async function addressOf(client: GatewayClient, request: SocketRequest, signal: AbortSignal): Promise<URL> {
  const url = client.url(request.path, { ...(await takePrepared(client, signal)), ...request.query });
  url.protocol = url.protocol.replace('http', 'ws');
  return url;
}

interface Prepared {
  readonly admission: Promise<Record<string, string>>;
  readonly until_ms: number;
}

const prepared = new WeakMap<GatewayClient, Prepared>();

/** Asks for the ticket of a socket that is about to be opened, so that it is there by then. */
export function prepareSocket(client: GatewayClient): void {
  const asked = admission(client);
  asked.catch(() => undefined); // the socket asks again
  prepared.set(client, { admission: asked, until_ms: performance.now() + PREPARED_MS });
}

/** A ticket admits one socket. */
async function takePrepared(client: GatewayClient, signal: AbortSignal): Promise<Record<string, string>> {
  const found = prepared.get(client);
  prepared.delete(client);
  if (!found || performance.now() > found.until_ms) return admission(client, signal);
  return found.admission.catch(() => admission(client, signal));
}

function admission(
  client: GatewayClient,
  signal: AbortSignal | null = null,
): Promise<Record<string, string>> {
  return admissionBy(client, take(client.http.POST('/api/auth/ws-ticket', { signal })));
}

/** False for what is neither output nor a frame. */
function pass(data: unknown, events: SocketEvents): boolean {
  if (data instanceof ArrayBuffer) {
    events.bytes(new Uint8Array(data));
    return true;
  }
  const frame = typeof data === 'string' ? parseFrame(data) : undefined;
  if (frame) events.frame(frame);
  return frame !== undefined;
}

/** Undefined for text that is not a frame. An error thrown in a socket's event would end a Node process. */
function parseFrame(text: string): GatewayFrame | undefined {
  try {
    const frame: unknown = JSON.parse(text);
    return typeof frame === 'object' && frame !== null && 'type' in frame ? toFrame(frame) : undefined;
  } catch {
    return undefined;
  }
}

/** By its type alone: under this subprotocol the gateway sends only frames of its own schema. */
function toFrame(frame: object): GatewayFrame {
  return frame as GatewayFrame;
}
