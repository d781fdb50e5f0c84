import { type ClientError, networkError, toClientError } from './client-error.ts';
import { copyOf } from './kept-requests.ts';
import type { Send } from './send.ts';

export const LONGEST_WAIT_MS = 30_000; // what has to wait longer is for the caller to decide
const FIRST_DELAY_MS = 500;
const TOO_MANY = 429;
const UNAVAILABLE = 503;
// A 502 or 504 of the gateway itself is about the host, which would be dialled again.
const PROXY_FAILURES: ReadonlySet<string> = new Set(['http_502', 'http_504']);

/**
 * Repeats what was refused for now: requests over a rate limit, and reads that failed on the way. Anything else may have
 * been carried out.
 */
export function withRetries(send: Send, most: number): Send {
  return async (given) => {
    let request = given;
    for (let failures = 0; failures < most; failures += 1) {
      const spare = copyOf(request);
      const attempt = await attemptOf(send, request);
      const wait_ms = await waitAfter(attempt, request, failures);
      if (wait_ms === undefined) return attempt.response();
      await attempt.drop();
      await pause(wait_ms, request.signal);
      request = spare;
    }
    return send(request);
  };
}

interface Attempt {
  /** The response, or undefined if there was none. */
  readonly answer: Response | undefined;
  /** The response, or else throws the failure. */
  response(): Response;
  drop(): Promise<void>;
}

async function attemptOf(send: Send, request: Request): Promise<Attempt> {
  try {
    const answer = await send(request);
    return { answer, response: () => answer, drop: async () => answer.body?.cancel() };
  } catch (error) {
    return {
      answer: undefined,
      response() {
        throw error;
      },
      drop: async () => undefined,
    };
  }
}

/** Undefined if the request is not to be repeated. */
async function waitAfter(
  { answer }: Attempt,
  request: Request,
  failures: number,
): Promise<number | undefined> {
  if (request.signal.aborted) return undefined;
  const failure = answer ? await refusalOf(answer) : networkError(undefined);
  if (!failure || !isForNow(failure, request.method)) return undefined;
  const wait_ms = Math.max((failure.retry_after ?? 0) * 1000, delayAfter(failures));
  return wait_ms > LONGEST_WAIT_MS ? undefined : wait_ms;
}

async function refusalOf(answer: Response): Promise<ClientError | undefined> {
  return answer.status >= TOO_MANY ? toClientError(answer.clone()) : undefined;
}

function isForNow({ status, code }: ClientError, method: string): boolean {
  if (status === TOO_MANY) return true;
  const is_read = method === 'GET' || method === 'HEAD';
  return is_read && (status === 0 || status === UNAVAILABLE || PROXY_FAILURES.has(code));
}

/** Grows with each failure, and varies so that clients do not all return at once. */
export function delayAfter(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.75 + 0.25 * Math.random());
}

/** Throws when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
  signal?.throwIfAborted();
}
