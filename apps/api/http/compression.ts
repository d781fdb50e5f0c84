import { concatenated } from '#core/lib/bytes/bytes.ts';
import type { AppRoute } from '../contract/app-route.ts';
import type { AppContext, AppMiddleware } from './env.ts';

const SMALL_BYTES = 1024; // compressing would save less than it costs

/**
 * Compression of a route's JSON, in the threads of zlib. Only of reads: what a write answers may hold a new secret next to
 * what was sent, and then the length of the compressed answer tells something about the secret (BREACH).
 */
export function compression(route: AppRoute): AppMiddleware[] {
  const answer = route.responses[200] ?? {};
  const has_json = 'content' in answer && answer.content?.['application/json'] !== undefined;
  return route.method === 'get' && has_json && !route['x-mixes-secrets'] ? [compressJson] : [];
}

export const compressJson: AppMiddleware = async (c, next) => {
  await next();
  if (c.res.status !== 200 && c.res.status !== 304) return;
  c.header('Vary', 'Accept-Encoding', { append: true });
  const { body, headers, status } = c.res;
  if (status !== 200 || c.req.method !== 'GET' || !body || !isPlainJson(headers) || !takesGzip(c)) return;
  const { start, rest } = await split(body);
  if (!rest) {
    c.res = new Response(start, c.res);
    return;
  }
  const compressed = c.var.is_streamed
    ? joined(start, rest).pipeThrough(new CompressionStream('gzip'))
    : await gzip(concatenated([start, ...(await allOf(rest))])); // so that what a client leaves unread is small
  c.res = new Response(compressed, c.res);
  c.res.headers.delete('Content-Length');
  c.res.headers.set('Content-Encoding', 'gzip');
};

const known = new WeakMap<Uint8Array, Promise<Uint8Array<ArrayBuffer>>>();

/** Sends JSON that is kept for many requests; it is compressed once. */
export async function sendKeptJson(c: AppContext, json: Uint8Array<ArrayBuffer>): Promise<Response> {
  c.header('Content-Type', 'application/json');
  if (json.length <= SMALL_BYTES || !takesGzip(c)) return c.body(json, 200);
  const compressed = known.get(json) ?? gzip(json);
  known.set(json, compressed);
  c.header('Content-Encoding', 'gzip');
  return c.body(await compressed, 200);
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

function isPlainJson(headers: Headers): boolean {
  return (
    headers.get('Content-Type')?.startsWith('application/json') === true && !headers.has('Content-Encoding')
  );
}

function takesGzip(c: AppContext): boolean {
  return acceptsGzip(c.req.header('accept-encoding'));
}

/** RFC 9110 §12.5.3. */
export function acceptsGzip(accept_encoding = ''): boolean {
  const weights = new Map(accept_encoding.toLowerCase().split(',').map(weighted));
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}

function weighted(entry: string): [string, number] {
  const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight)];
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

interface Split {
  readonly start: Uint8Array<ArrayBuffer>;
  /** Undefined if `start` is all there is. */
  readonly rest: Reader | undefined;
}

/** Reads until it is clear whether the body is small. */
async function split(body: ReadableStream<Uint8Array>): Promise<Split> {
  const reader: Reader = body.getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; size <= SMALL_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return { start: concatenated(parts), rest: undefined };
    size += value.length;
    parts.push(value);
  }
  return { start: concatenated(parts), rest: reader };
}

async function allOf(reader: Reader): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts;
    parts.push(value);
  }
}

/** Pull-driven: the body is made as fast as the client reads. */
function joined(start: Uint8Array<ArrayBuffer>, rest: Reader): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => controller.enqueue(start),
      async pull(controller) {
        const { done, value } = await rest.read();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
      cancel: (reason) => rest.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
