import { Fault } from '#core/errors.ts';
import type { ForwardedAddresses } from '#core/services/forwarded-addresses.ts';
import type { AppContext } from './env.ts';

export const ADDRESS_HEADER = 'x-sallyport-client';

const ANSWER_MS = 150_000; // eight bastions and a host may each take their time-out

// RFC 9110 §7.6.1, and what the next connection sets itself.
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
}

/** Passes a request on as it is, with the caller's address signed, and the answer back as it comes. */
export async function forward(c: AppContext, { worker_url, addresses }: ForwardOptions): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  const headers = new Headers(c.req.raw.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.set('x-forwarded-host', c.req.header('host') ?? '');
  headers.set(ADDRESS_HEADER, await addresses.sign(c.var.ip_address));
  const answer = await ask(new URL(pathname + search, worker_url), {
    method: c.req.method,
    headers,
    body: c.req.raw.body,
    redirect: 'manual',
    ...(c.req.raw.body ? { duplex: 'half' } : {}),
  });
  return new Response(answer.body, { status: answer.status, headers: decodedHeaders(answer.headers) });
}

/** The deadline is for the answer to begin; a body may take its time. */
async function ask(url: URL, init: RequestInit): Promise<Response> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), ANSWER_MS);
  try {
    return await fetch(url, { ...init, signal: silence.signal });
  } catch (cause) {
    throw new Fault(silence.signal.aborted ? 'worker_timeout' : 'worker_unreachable', undefined, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch` has undone the content coding, so what described the coded body no longer holds. */
function decodedHeaders(from: Headers): Headers {
  const headers = new Headers(from);
  for (const name of HOP_BY_HOP.filter((hop) => hop !== 'content-length')) headers.delete(name);
  if (headers.has('content-encoding')) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  return headers;
}
