import { toClientError } from './client-error.ts';
import { type Credentials, createRefresh } from './credentials.ts';
import { copyOf } from './kept-requests.ts';
import { withRetries } from './retries.ts';
import type { Send } from './send.ts';
import type { TokenHeader } from './token-header.ts';

// The 401 codes that reject the token. A wrong password or code does not invalidate it.
const TOKEN_REFUSALS: ReadonlySet<string> = new Set([
  'not_authenticated',
  'invalid_token',
  'invalid_api_key',
]);

const STEP_UP = 'step_up_required';

interface Sending {
  readonly fetch: Send;
  readonly credentials: Credentials;
  readonly header: TokenHeader;
  readonly retries: number;
}

/** Sends a request with the token, and once more where the credentials or the retries allow it. */
export function createSend({ fetch, credentials, header, retries }: Sending): Send {
  return withConfirmation(withToken(withRetries(fetch, retries), credentials, header), credentials);
}

/** A token that the call passed is left alone. */
function withToken(send: Send, credentials: Credentials, header: TokenHeader): Send {
  const { token, refused, refresh } = credentials;
  const refreshed = createRefresh(credentials);
  const authorize = ({ headers }: Request, current: string) => headers.set(...header.of(current));
  return async (request) => {
    const sent = token();
    if (sent === undefined || hasToken(request)) return send(request);
    const is_first = !header.isSecond();
    authorize(request, sent);
    const spare = refresh || (is_first && isShort(request)) ? copyOf(request) : undefined;
    const response = await send(request);
    if (spare && is_first && isOfProxy(response)) {
      header.moveToSecond();
      await response.body?.cancel();
      spare.headers.delete('Authorization');
      authorize(spare, sent);
      return send(spare);
    }
    if (!(await rejectsToken(response))) return response;
    refused?.(sent);
    if (!spare || !refresh) return response;
    const fresh = await refreshed(sent);
    if (fresh === undefined) return response;
    await response.body?.cancel();
    authorize(spare, fresh);
    return send(spare);
  };
}

/** Without a body, or with JSON: a copy of anything else could take much memory. */
function isShort({ headers }: Request): boolean {
  const type = headers.get('Content-Type');
  return type === null || type.startsWith('application/json');
}

function hasToken({ headers }: Request): boolean {
  return headers.has('Authorization') || headers.has('X-Sallyport-Authorization');
}

async function rejectsToken(response: Response): Promise<boolean> {
  return response.status === 401 && TOKEN_REFUSALS.has(await codeOf(response));
}

/** Sends a refused request once more after the session was confirmed. */
function withConfirmation(send: Send, { confirm }: Credentials): Send {
  return async (request) => {
    if (!confirm || request.method === 'GET') return send(request); // reading never needs it
    const spare = copyOf(request);
    const sent_at_ms = performance.now();
    const response = await send(request);
    if (response.status !== 403 || (await codeOf(response)) !== STEP_UP) return response;
    return (await confirm(sent_at_ms)) ? send(spare) : response;
  };
}

/** A proxy with basic authentication refused the token, which took the place of its own credentials. */
function isOfProxy({ status, headers }: Response): boolean {
  return status === 401 && /^\s*basic\b/i.test(headers.get('WWW-Authenticate') ?? '');
}

/** Leaves the response readable. */
async function codeOf(response: Response): Promise<string> {
  return (await toClientError(response.clone())).code;
}
