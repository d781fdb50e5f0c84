import { Fault } from '#core/errors.ts';
import type { ForwardedAddresses, ProvenRequest } from '#core/instances/forwarded-addresses.ts';
import { joinSignals } from '#core/lib/concurrency/joined-signal.ts';
import { SECOND_AUTHORIZATION } from './authenticate.ts';
import type { AppContext, Runtime } from './env.ts';
import { goneSignal } from './gone-signal.ts';

export const ADDRESS_HEADER = 'x-sallyport-client';

const ANSWER_MS = 150_000; // eight jump hosts and a host may each take their full timeout
const SMALL_BYTES = 1024 * 1024; // sent long before the deadline

// RFC 9110 §7.6.1 and §10.1.1, plus headers that `fetch` sets itself.
const HOP_BY_HOP = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
];

/** A request to the worker. */
export interface Passed {
  readonly method: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
  /** Call it once the whole body has been sent, where the platform tells. */
  readonly sent: () => void;
}

/** Sends a request and streams its body and its answer, without decoding or following it; a platform's own way. */
export type Exchange = (url: URL, passed: Passed) => Promise<Response>;

export interface ForwardOptions {
  /** Origin of the worker, such as `http://worker.internal:8443`. */
  readonly worker_url: string;
  readonly addresses: Pick<ForwardedAddresses, 'sign'>;
  readonly root_path: string;
  readonly runtime: Pick<Runtime, 'onGone'>;
  /** Absent: `fetch`. */
  readonly exchange?: Exchange | undefined;
  /** No deadline for the answer: only a lost connection, to the client or the worker, ends the wait. */
  readonly is_long: boolean;
}

/** Forwards a request verbatim with the caller's address signed, and streams the answer back. */
export async function forward(c: AppContext, options: ForwardOptions): Promise<Response> {
  const { worker_url, is_long, runtime, exchange = byFetch } = options;
  const { pathname, search } = new URL(c.req.url);
  const { body } = c.req.raw; // as it is: a stream of JavaScript in between lets memory grow with the body
  const is_small = body === null || Number(c.req.header('content-length') ?? Infinity) <= SMALL_BYTES;
  const deadline = createDeadline(is_long);
  if (is_small) deadline.begin();
  const headers = new Headers(c.req.raw.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.set('accept-encoding', 'identity'); // `fetch` would decode it: who answers the client compresses
  headers.set('x-forwarded-host', c.req.header('host') ?? ''); // older workers do not read the signed host
  headers.set(ADDRESS_HEADER, await signed(c, options));
  const gone = goneSignal(c, runtime); // the worker ends what nobody waits for
  const { signal } = joinSignals(deadline.signal, gone);
  const passed = { method: c.req.method, headers, body, signal, sent: deadline.begin };
  const answer = await orFault(exchange(new URL(pathname + search, worker_url), passed), deadline, gone);
  return new Response(answer.body, { status: answer.status, headers: decodedHeaders(answer.headers) });
}

/** Connects a socket of the client with one at `url`; a platform's own way. */
export type ConnectSocket = (
  c: AppContext,
  url: URL,
  headers: Readonly<Record<string, string>>,
) => Response | Promise<Response>;

const SOCKET_HEADERS = ['authorization', SECOND_AUTHORIZATION, 'origin', 'user-agent'];

/** Connects a WebSocket with the worker, which applies the gates. */
export async function forwardSocket(
  c: AppContext,
  connect: ConnectSocket,
  options: Omit<ForwardOptions, 'is_long' | 'exchange' | 'runtime'>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const headers: Record<string, string> = { [ADDRESS_HEADER]: await signed(c, options) };
  for (const name of SOCKET_HEADERS) {
    const value = c.req.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return connect(c, new URL(pathname + search, options.worker_url), headers);
}

function signed(
  c: AppContext,
  { addresses, root_path }: Pick<ForwardOptions, 'addresses' | 'root_path'>,
): Promise<string> {
  const proven = provenRequest(c, pathOf(c, root_path) + new URL(c.req.url).search);
  return addresses.sign({ ip_address: c.var.ip_address, host: c.req.header('host') }, proven);
}

/** What the proof of an address is bound to. */
export function provenRequest(c: AppContext, path: string): ProvenRequest {
  const first = c.req.header('authorization') ?? '';
  const second = c.req.header(SECOND_AUTHORIZATION);
  // No header holds a line break, so the two cannot be divided in another way.
  const authorization = second === undefined ? first : `${first}\n${second}`;
  return { method: c.req.method, path, authorization };
}

/** Without this instance's own path prefix. */
export function pathOf(c: AppContext, root_path: string): string {
  const { pathname } = new URL(c.req.url);
  return pathname.startsWith(`${root_path}/`) ? pathname.slice(root_path.length) : pathname;
}

interface Deadline {
  readonly signal: AbortSignal;
  begin(): void;
  cancel(): void;
}

/** Limits the wait for the answer to start once the request was sent; bodies may take as long as they need. */
function createDeadline(is_long: boolean): Deadline {
  const timeout = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let is_over = is_long;
  function begin(): void {
    clearTimeout(timer);
    if (!is_over) timer = setTimeout(() => timeout.abort(), ANSWER_MS);
  }
  return {
    signal: timeout.signal,
    begin,
    cancel() {
      is_over = true;
      clearTimeout(timer);
    },
  };
}

function byFetch(url: URL, { method, headers, body, signal }: Passed): Promise<Response> {
  const streamed = body ? { body, duplex: 'half' } : {};
  return fetch(url, { method, headers, redirect: 'manual', signal, ...streamed });
}

async function orFault(answer: Promise<Response>, deadline: Deadline, gone: AbortSignal): Promise<Response> {
  try {
    return await answer;
  } catch (cause) {
    if (gone.aborted) throw new Fault('client_left', undefined, { cause });
    throw new Fault(deadline.signal.aborted ? 'worker_timeout' : 'worker_unreachable', undefined, { cause });
  } finally {
    deadline.cancel();
  }
}

/** `fetch` has decoded the body, so headers about the encoded body no longer apply. */
export function decodedHeaders(from: Headers): Headers {
  const headers = new Headers(from);
  for (const name of HOP_BY_HOP.filter((hop) => hop !== 'content-length')) headers.delete(name);
  if (headers.has('content-encoding')) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  return headers;
}
