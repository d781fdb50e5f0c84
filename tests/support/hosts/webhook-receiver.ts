import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '../eventually.ts';

export interface Received {
  readonly path: string;
  /** Headers as they were sent, in pairs. */
  readonly raw_headers: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at_ms: number;
}

export interface WebhookEvent {
  readonly event: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

/** A webhook receiver on 127.0.0.1, over plain HTTP. */
export interface WebhookReceiver {
  readonly port: number;
  url(path?: string): string;
  /** The requests to this path, in order of arrival. */
  received(path?: string): Received[];
  /** Waits until this many requests have reached this path. */
  hears(path: string, count?: number): Promise<Received[]>;
  /** The number of open connections. */
  open(): number;
  stop(): Promise<void>;
}

/** Answers a request whose body it has read; 204 by default. */
export type Answering = (response: ServerResponse, received: Received) => void;

export async function startWebhookReceiver(
  answer: Answering = (response) => response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const all: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    request.on('error', () => undefined); // The sender aborted it.
    const received = await read(request).catch(() => undefined);
    if (!received) return;
    all.push(received);
    answer(response, received);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const received = (path = '/') => all.filter((one) => one.path === path);
  return {
    port,
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    received,
    hears: (path, count = 1) =>
      eventually(() => {
        const found = received(path);
        if (found.length < count) throw new Error(`${found.length} of ${count} came to ${path}`);
        return found;
      }),
    open: () => sockets.size,
    async stop() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { url: path = '', rawHeaders: raw_headers, headers } = request;
  return { path, raw_headers, headers, body: Buffer.concat(parts).toString(), at_ms: performance.now() };
}

/** Tests name the shape that they expect and then assert on it. */
export function eventOf({ body }: Received): WebhookEvent {
  return JSON.parse(body);
}

/** The signature that a receiver computes, for comparison. */
export function signatureOf(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
