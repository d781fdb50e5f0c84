import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request as requestOverHttp } from 'node:http';
import { request as requestOverTls, Agent as TlsAgent } from 'node:https';
import { Readable } from 'node:stream';
import type { Exchange, Passed } from '#api/http/forward.ts';

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']); // RFC 9110 §9.2.2

/** Exchanges requests with the worker by `node:http`: `fetch` of Node keeps more of a streamed body than it has sent. */
export function createHop(): { readonly exchange: Exchange; close(): void } {
  const plain = new Agent({ keepAlive: true });
  const tls = new TlsAgent({ keepAlive: true });

  function send(url: URL, { method, headers, signal }: Passed): ClientRequest {
    const options = { method, headers: Object.fromEntries(headers), signal };
    return url.protocol === 'https:'
      ? requestOverTls(url, { ...options, agent: tls })
      : requestOverHttp(url, { ...options, agent: plain });
  }

  async function exchange(url: URL, passed: Passed): Promise<Response> {
    const sending = send(url, passed);
    const answered = answerOf(sending);
    pump(passed, sending).catch((error: Error) => sending.destroy(error));
    const answer = await answered;
    return new Response(bodyOf(answer, passed.method), {
      status: answer.statusCode ?? 502,
      headers: headersOf(answer),
    });
  }

  return {
    /** A kept connection that the worker has just closed is replaced once, where a repetition changes nothing. */
    async exchange(url, passed) {
      try {
        return await exchange(url, passed);
      } catch (error) {
        if (!IDEMPOTENT.has(passed.method) || passed.body || passed.signal.aborted || !isStale(error))
          throw error;
        return await exchange(url, passed);
      }
    },
    close() {
      plain.destroy();
      tls.destroy();
    },
  };
}

/** Keeps listening for errors: the worker may answer early and close before it has read the body. */
function answerOf(sending: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.on('response', resolve);
    sending.on('error', (error) =>
      reject(sending.reusedSocket ? Object.assign(error, { is_stale: true }) : error),
    );
  });
}

function isStale(error: unknown): boolean {
  const { is_stale, code } = Object(error);
  return is_stale === true && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Reads the body at the pace of the worker. */
async function pump({ body, sent }: Passed, to: ClientRequest): Promise<void> {
  if (!body) {
    to.end();
    return;
  }
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined); // the client's own connection reports its failure
  to.once('close', stop);
  for (;;) {
    const { done, value } = await reader.read();
    if (to.destroyed) return;
    if (done) break;
    if (!to.write(value)) await drained(to);
  }
  to.off('close', stop);
  to.end();
  sent();
}

async function drained(to: ClientRequest): Promise<void> {
  if (to.destroyed) return;
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(to, 'drain', { signal }), once(to, 'close', { signal })]).finally(() =>
    over.abort(),
  );
}

function bodyOf(answer: IncomingMessage, method: string): ReadableStream<Uint8Array> | null {
  if (method === 'HEAD' || WITHOUT_BODY.has(answer.statusCode ?? 0)) {
    answer.resume();
    return null;
  }
  return toWeb(answer);
}

/** Guarantee: Node's web streams are those of the platform. */
function toWeb(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer) as ReadableStream<Uint8Array>;
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}
