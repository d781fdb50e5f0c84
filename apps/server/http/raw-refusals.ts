import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { errorBody } from '#api/http/refuse.ts';
import { Fault } from '#core/errors.ts';
import type { Gateway } from '../gateway.ts';

const LINGER_MS = 2000; // for the client to read the refusal
const KIB = 1024;

type Headers = Readonly<Record<string, string>>;

/** Refuses on a bare connection, with the body and headers of every other refusal. */
export function refuseOn(socket: Socket, fault: Fault, extra: Headers = {}): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { headers, text } = answerOf(fault, extra);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([statusLine(fault.status), ...lines, '', text].join('\r\n'));
  lingerOn(socket);
}

/** Sends a response of the application, of which the adapter would send only the headers. */
export async function sendOn(socket: Socket, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [...response.headers]
    .filter(([name]) => name !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`);
  const head = [statusLine(response.status), ...lines, 'Connection: close', `Content-Length: ${body.length}`];
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]));
  lingerOn(socket);
}

/** For the adapter, which passes options and a listener; ours also answers what the adapter refuses. */
export function refusingServers(fetch: Gateway['fetch']): typeof createServer {
  return ((options: ServerOptions) => createRefusingServer(fetch, options)) as typeof createServer;
}

/** A server whose own refusals, of requests that never reach the application, have the shape of all others. */
function createRefusingServer(fetch: Gateway['fetch'], options: ServerOptions): Server {
  const errorHandler = (error: unknown) => {
    const fault = new Fault(error instanceof RequestError ? 'bad_request' : 'internal');
    const { headers, text } = answerOf(fault);
    return new Response(text, { status: fault.status, headers });
  };
  const server = createServer(options, getRequestListener(fetch, { errorHandler }) as RequestListener);
  server.on('checkExpectation', (_incoming, outgoing) =>
    refuseWith(outgoing, new Fault('expectation_failed')),
  );
  server.on('connect', (_incoming, socket: Socket) => refuseOn(socket, new Fault('method_not_allowed')));
  refuseUnreadable(server);
  return server;
}

/** What Node cannot read as a request. */
function refuseUnreadable(server: Server): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  const refused = new WeakSet<Socket>();
  server.prependListener('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    latest.set(socket, outgoing);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (refused.has(socket)) return; // what follows it is unreadable too
    refused.add(socket);
    const outgoing = latest.get(socket);
    if (outgoing?.headersSent && !outgoing.writableFinished) socket.destroy();
    else refuseOn(socket, faultOf(error));
  });
}

function faultOf({ code }: NodeJS.ErrnoException): Fault {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Fault('request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Fault('headers_too_large', `The request headers are larger than ${maxHeaderSize / KIB} KiB`);
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new Fault('body_too_large', 'The chunk extensions of the body are larger than 16 KiB');
  }
  return new Fault('bad_request');
}

function refuseWith(outgoing: ServerResponse, fault: Fault): void {
  const { headers, text } = answerOf(fault);
  outgoing.writeHead(fault.status, headers).end(text);
}

function answerOf(fault: Fault, extra: Headers = {}) {
  const request_id = randomUUID();
  const text = JSON.stringify(errorBody(fault, request_id));
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    'X-Request-Id': request_id,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...extra,
  };
  return { headers, text };
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`;
}

function lingerOn(socket: Socket): void {
  socket.on('error', () => undefined);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
