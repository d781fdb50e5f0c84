import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { networkError, toClientError } from './client-error.ts';
import type { components, paths } from './schema.gen.ts';

export type Schemas = components['schemas'];

// The 401 codes that reject the token. A wrong password or code does not invalidate it.
const TOKEN_REFUSALS: ReadonlySet<string> = new Set([
  'not_authenticated',
  'invalid_token',
  'invalid_api_key',
]);

const STEP_UP = 'step_up_required';

export interface ClientOptions {
  /** The gateway's URL; by default relative to the page, under any path prefix. */
  readonly base_url?: string;
  readonly token: () => string | undefined;
  /** Called with the rejected token, which may have been replaced since. */
  readonly on_unauthorized?: (token: string) => void;
  /** Called when the session must be confirmed (`step_up_required`); if it resolves to true, the request is repeated. */
  readonly on_step_up?: (sent_at_ms: number) => Promise<boolean>;
  readonly fetch?: (request: Request) => Promise<Response>;
}

export interface GatewayClient {
  /** The typed operations. Error responses are thrown as ClientError. */
  readonly http: Client<paths>;
  readonly token: () => string | undefined;
  /** The absolute URL of a gateway path, for links and sockets. */
  url(path: string, query?: Readonly<Record<string, string>>): URL;
}

export function createClient(options: ClientOptions): GatewayClient {
  const { base_url = '.', token } = options;
  const http = createFetchClient<paths>({
    baseUrl: base_url,
    fetch: repeating(options),
  });
  http.use(refusals, credentials(options)); // response middleware runs in reverse order
  return {
    http,
    token,
    url(path, query = {}) {
      const url = new URL(path.replace(/^\//, ''), new URL(`${base_url.replace(/\/$/, '')}/`, pageUrl()));
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url;
    },
  };
}

/** The body of a successful response. */
export async function take<A extends { readonly data?: unknown }>(
  answer: Promise<A>,
): Promise<Exclude<A['data'], undefined>> {
  return bodyOf(await answer);
}

/** Error responses have been thrown by now, so `data` is set. */
function bodyOf<A extends { readonly data?: unknown }>(answer: A): Exclude<A['data'], undefined> {
  return answer.data as Exclude<A['data'], undefined>;
}

/** Sends a refused request once more after the session was confirmed. */
function repeating({ fetch: send = (request) => fetch(request), on_step_up }: ClientOptions) {
  return async (request: Request): Promise<Response> => {
    if (!on_step_up || request.method === 'GET') return send(request); // reading never needs it
    const spare = request.clone();
    const sent_at_ms = performance.now();
    const response = await send(request);
    if (response.status !== 403 || (await toClientError(response.clone())).code !== STEP_UP) return response;
    return (await on_step_up(sent_at_ms)) ? send(spare) : response;
  };
}

function credentials({ token, on_unauthorized }: ClientOptions): Middleware {
  return {
    onRequest({ request }) {
      const value = token();
      if (value !== undefined && !request.headers.has('Authorization'))
        request.headers.set('Authorization', `Bearer ${value}`);
    },
    async onResponse({ request, response }) {
      const sent = request.headers.get('Authorization')?.replace(/^Bearer /, '');
      if (response.status !== 401 || sent === undefined) return;
      const { code } = await toClientError(response.clone());
      if (TOKEN_REFUSALS.has(code)) on_unauthorized?.(sent);
    },
  };
}

const refusals: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await toClientError(response);
  },
  onError({ error }) {
    return error instanceof DOMException && error.name === 'AbortError' ? error : networkError(error);
  },
};

/** Undefined in Node, where the base URL must be absolute. */
function pageUrl(): string | undefined {
  return typeof document === 'undefined' ? undefined : document.baseURI;
}
