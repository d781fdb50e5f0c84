import { type GatewayClient, take } from './client.ts';
import { ClientError, networkError } from './client-error.ts';
import type { ClientFrame, QuickOpenFrame, Road } from './terminal-aim.ts';
import type { GatewayFrame } from './terminal-ending.ts';

export const SUBPROTOCOL = 'sallyport.v1';
const OPENS_WITHIN_MS = 15_000; // a network that swallows everything keeps a browser waiting for minutes

export type SocketConstructor = new (url: string, protocols: string[]) => WebSocket;

export interface SocketEvents {
  opened(): void;
  bytes(bytes: Uint8Array): void;
  frame(frame: GatewayFrame): void;
  closed(code: number, reason: string): void;
  /** It did not come about. */
  refused(error: unknown): void;
}

export interface TerminalSocket {
  isOpen(): boolean;
  send(frame: ClientFrame | QuickOpenFrame): void;
  input(bytes: Uint8Array<ArrayBuffer>): void;
  /** No event comes any more. */
  leave(code: number): void;
}

interface Opening {
  readonly client: GatewayClient;
  readonly road: Road;
  readonly events: SocketEvents;
  /** For runtimes that have none. */
  readonly WebSocket: SocketConstructor | undefined;
}

/** One socket of a terminal, with a ticket of its own. */
export function openTerminalSocket({ client, road, events, WebSocket: Given }: Opening): TerminalSocket {
  let socket: WebSocket | undefined;
  let is_over = false;

  function end(tell: () => void): void {
    if (is_over) return;
    is_over = true;
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
    const Socket = Given ?? WebSocket;
    const made = new Socket(url.href, [SUBPROTOCOL]);
    made.binaryType = 'arraybuffer';
    made.onopen = () => {
      clearTimeout(timer);
      if (!is_over) events.opened();
    };
    made.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!is_over) pass(data, events);
    };
    made.onclose = ({ code, reason }) => end(() => events.closed(code, reason));
    socket = made;
  }

  const timer = setTimeout(() => refuse(networkError('No socket in time')), OPENS_WITHIN_MS);
  addressOf(client, road).then((url) => {
    if (!is_over) connect(url);
  }, refuse);

  return {
    isOpen: () => !is_over && socket?.readyState === 1,
    send: (frame) => socket?.send(JSON.stringify(frame)),
    input: (bytes) => socket?.send(bytes),
    leave: (code) => end(() => socket?.close(code)),
  };
}

async function addressOf(client: GatewayClient, road: Road): Promise<URL> {
  const url = client.url(road.path, { ...(await admission(client)), ...road.query });
  url.protocol = url.protocol.replace('http', 'ws');
  return url;
}

/** A ticket, so that the token stays out of URLs; demo mode refuses the write that makes one. */
async function admission(client: GatewayClient): Promise<Record<string, string>> {
  try {
    const { ticket } = await take(client.http.POST('/api/auth/ws-ticket'));
    return { ticket };
  } catch (error) {
    const token = client.token();
    if (error instanceof ClientError && error.code === 'demo_mode' && token !== undefined) return { token };
    throw error;
  }
}

function pass(data: unknown, events: SocketEvents): void {
  if (data instanceof ArrayBuffer) events.bytes(new Uint8Array(data));
  else if (typeof data === 'string') events.frame(parseFrame(data));
}

/** The gateway speaks only the frames of its own document under this subprotocol. */
function parseFrame(text: string): GatewayFrame {
  return JSON.parse(text) as GatewayFrame;
}
