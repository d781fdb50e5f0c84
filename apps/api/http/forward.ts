import { Fault } from '#core/errors.ts';
import type { ForwardedAddresses, ProvenRequest } from '#core/instances/forwarded-addresses.ts';
import type { AppContext } from './env.ts';

export const ADDRESS_HEADER = 'x-sallyport-client';

const ANSWER_MS = 150_000; // eight jump hosts and a host may each take their full timeout

// RFC 9110 §7.6.1, plus headers that `fetch` sets itself.
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
];

export interface ForwardOptions {
  /** Origin of the worker, such as `http://worker.internal:8443`. */
  readonly worker_url: string;
  readonly addresses: Pick<ForwardedAddresses, 'sign'>;
  readonly root_path: string;
  /** No deadline for the answer: only a lost connection ends the wait. */
  readonly is_long: boolean;
}

/** Forwards a request verbatim with the caller's address signed, and streams the answer back. */
export async function forward(c: AppContext, options: ForwardOptions): Promise<Response> {
  const { worker_url, is_long } = options;
  const { pathname, search } = new URL(c.req.url);
  const deadline = createDeadline(is_long);
  const body = c.req.raw.body?.pipeThrough(deadline.extendWithBody());
  const headers = new Headers(c.req.raw.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.set('accept-encoding', 'identity'); // `fetch` would decode it: who answers the client compresses
  headers.set('x-forwarded-host', c.req.header('host') ?? ''); // older workers do not read the signed host
  headers.set(ADDRESS_HEADER, await signed(c, options));
  const answer = await ask(
    new URL(pathname + search, worker_url),
    {
      method: c.req.method,
      headers,
      redirect: 'manual',
      ...(body ? { body, duplex: 'half' } : {}),
    },
    deadline,
  );
  return new Response(answer.body, { status: answer.status, headers: decodedHeaders(answer.headers) });
}

/** Connects a socket of the client with one at `url`; a platform's own way. */
export type ConnectSocket = (
  c: AppContext,
  url: URL,
  headers: Readonly<Record<string, string>>,
) => Response | Promise<Response>;

const SOCKET_HEADERS = ['authorization', 'origin', 'user-agent'];

/** Connects a WebSocket with the worker, which applies the gates. */
export async function forwardSocket(
  c: AppContext,
  connect: ConnectSocket,
  options: Omit<ForwardOptions, 'is_long'>,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const headers: Record<string, string> = { [ADDRESS_HEADER]: await signed(c, options) };
  for (const name of SOCKET_HEADERS) {
    const value = c.req.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return connect(c, new URL(pathname + search, options.worker_url), headers);
}

function signed(c: AppContext, { addresses, root_path }: Omit<ForwardOptions, 'is_long'>): Promise<string> {
  const proven = provenRequest(c, pathOf(c, root_path) + new URL(c.req.url).search);
  return addresses.sign({ ip_address: c.var.ip_address, host: c.req.header('host') }, proven);
}

/** What the proof of an address is bound to. */
export function provenRequest(c: AppContext, path: string): ProvenRequest {
  return { method: c.req.method, path, authorization: c.req.header('authorization') ?? '' };
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
  /** Restarts the deadline with each chunk of the request body. */
  extendWithBody(): TransformStream<Uint8Array, Uint8Array>;
}

/** Limits the wait for the answer to start; request and response bodies may take as long as they need. */
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
    extendWithBody: () =>
      new TransformStream({
        transform(chunk, controller) {
          begin();
          controller.enqueue(chunk);
        },
      }),
  };
}

async function ask(url: URL, init: RequestInit, deadline: Deadline): Promise<Response> {
  deadline.begin();
  try {
    return await fetch(url, { ...init, signal: deadline.signal });
  } catch (cause) {
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
