import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { abortable } from '#core/lib/time/deadline.ts';
import { systemAfter } from '#core/lib/time/timers.ts';
import { ExchangeFailed } from '#core/ports/outside.ts';
import { type AddressRule, allowedAddresses, inTime, openRequest } from './connection.ts';
import { toExchangeFailed } from './failures.ts';

export interface ExchangeInput {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Until the response header is here. */
  readonly timeout_ms: number;
  /** Aborting closes the connection, whatever has arrived. */
  readonly signal: AbortSignal;
}

export interface ReadingLimits {
  /** Between two pieces of the body, while somebody waits for one. */
  readonly silence_ms: number;
  /** The largest body. */
  readonly limit_bytes: number;
}

export interface Exchanged {
  /** 101 for a protocol switch, whose connection is already closed. */
  readonly status: number;
  readonly content_type: string;
  /**
   * The body, read only as fast as it is consumed. Throws `ExchangeFailed` when it is cut off, too large or silent for too
   * long, or the signal's reason.
   */
  read(limits: ReadingLimits): AsyncGenerator<Uint8Array, void>;
  /** Closes the connection; does nothing when the response was read to its end. */
  close(): void;
}

interface Options extends AddressRule {
  /** Replaces the certificate authorities that Node.js trusts. */
  readonly ca: string | undefined;
}

/**
 * The only way out over HTTP: sends one request to checked addresses of its host and follows no redirects. Throws
 * `ExchangeFailed`, or the signal's reason.
 */
export async function exchange(input: ExchangeInput, options: Options): Promise<Exchanged> {
  const response = await inTime(input, async (signal) => {
    const addresses = await allowedAddresses(input.url, options, signal);
    return send({ ...input, signal }, { addresses, ca: options.ca, until_end: input.signal });
  });
  return {
    status: response.statusCode ?? 0,
    content_type: response.headers['content-type'] ?? '',
    read: (limits) => read(response, limits, input.signal),
    close: () => void response.destroy(),
  };
}

interface Line {
  readonly addresses: LookupAddress[];
  readonly ca: string | undefined;
  /** The signal of the whole exchange. */
  readonly until_end: AbortSignal;
}

function send(
  { url, method, headers, body = '', signal }: ExchangeInput,
  { addresses, ca, until_end }: Line,
): Promise<IncomingMessage> {
  const length = method === 'POST' ? { 'Content-Length': Buffer.byteLength(body) } : {};
  return abortable<IncomingMessage>(signal, (resolve, reject) => {
    const outgoing = openRequest(url, { method, headers: { ...headers, ...length }, addresses, ca });
    listen(outgoing, reject);
    outgoing.on('response', (response) => {
      closeWith(response, until_end);
      resolve(response);
    });
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    outgoing.end(body);
    return () => outgoing.destroy();
  });
}

function listen(outgoing: ClientRequest, reject: (error: unknown) => void): void {
  outgoing.on('error', (error) => reject(error instanceof ExchangeFailed ? error : toExchangeFailed(error)));
  outgoing.on('close', () => reject(new ExchangeFailed('The connection was closed without a response')));
}

function closeWith(response: IncomingMessage, signal: AbortSignal): void {
  const close = () => response.destroy();
  signal.addEventListener('abort', close, { once: true });
  response.once('close', () => signal.removeEventListener('abort', close));
  response.on('error', () => undefined); // the reader of the body gets the error
  if (signal.aborted) close();
}

async function* read(
  response: IncomingMessage,
  { silence_ms, limit_bytes }: ReadingLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const pieces = response[Symbol.asyncIterator]();
  let total = 0;
  try {
    for (;;) {
      const piece = await nextPiece(response, pieces, silence_ms);
      if (piece === undefined) return;
      total += piece.byteLength;
      if (total > limit_bytes) throw new ExchangeFailed(`The response is larger than ${limit_bytes} bytes`);
      yield piece;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ExchangeFailed
      ? error
      : new ExchangeFailed('The connection was closed in mid-response');
  } finally {
    response.destroy();
  }
}

async function nextPiece(
  response: IncomingMessage,
  pieces: AsyncIterator<Uint8Array>,
  silence_ms: number,
): Promise<Uint8Array | undefined> {
  const silent = () => response.destroy(new ExchangeFailed(`No data for ${silence_ms / 1000} s`));
  const cancel = systemAfter(silence_ms, silent);
  try {
    const { done, value } = await pieces.next();
    return done ? undefined : value;
  } finally {
    cancel();
  }
}
