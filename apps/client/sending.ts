import { toClientError } from './client-error.ts';
import { type Credentials, createRefresh } from './credentials.ts';
import { type Send, withRetries } from './retries.ts';

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
  readonly retries: number;
}

/** Sends a request with the token, and once more where the credentials or the retries allow it. */
export function createSend({ fetch, credentials, retries }: Sending): Send {
  return withConfirmation(withToken(withRetries(fetch, retries), credentials), credentials);
}

/** A token that the call passed is left alone. */
function withToken(send: Send, credentials: Credentials): Send {
  const { token, refused, refresh } = credentials;
  const refreshed = createRefresh(credentials);
  return async (request) => {
    const sent = token();
    if (sent === undefined || request.headers.has('Authorization')) return send(request);
    authorize(request, sent);
    const spare = refresh ? request.clone() : undefined;
    const response = await send(request);
    if (!(await rejectsToken(response))) return response;
    refused?.(sent);
    if (!spare) return response;
    const fresh = await refreshed(sent);
    if (fresh === undefined) return response;
    await response.body?.cancel();
    authorize(spare, fresh);
    return send(spare);
  };
}

async function rejectsToken(response: Response): Promise<boolean> {
  return response.status === 401 && TOKEN_REFUSALS.has(await codeOf(response));
}

/** Sends a refused request once more after the session was confirmed. */
function withConfirmation(send: Send, { confirm }: Credentials): Send {
  return async (request) => {
    if (!confirm || request.method === 'GET') return send(request); // reading never needs it
    const spare = request.clone();
    const sent_at_ms = performance.now();
    const response = await send(request);
    if (response.status !== 403 || (await codeOf(response)) !== STEP_UP) return response;
    return (await confirm(sent_at_ms)) ? send(spare) : response;
  };
}

function authorize(request: Request, token: string): void {
  request.headers.set('Authorization', `Bearer ${token}`);
}

/** Leaves the response readable. */
async function codeOf(response: Response): Promise<string> {
  return (await toClientError(response.clone())).code;
}
