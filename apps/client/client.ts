import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import { failureOf, toClientError } from './client-error.ts';
import { type Credentials, toCredentials } from './credentials.ts';
import type { Send } from './retries.ts';
import type { components, paths } from './schema.gen.ts';
import { createSend } from './sending.ts';
import type { SocketConstructor } from './terminal/plain-socket.ts';

export type Schemas = components['schemas'];

const RETRIES = 2;

export interface ClientOptions {
  /** The gateway's URL; by default relative to the page, under any path prefix. */
  readonly base_url?: string;
  /** An API key, or how to get a token. Without them, only public operations succeed. */
  readonly credentials?: string | Credentials;
  /** How often a request is repeated that failed for now; by default twice. */
  readonly retries?: number;
  readonly fetch?: Send;
  /** For runtimes without a global WebSocket. */
  readonly WebSocket?: SocketConstructor;
}

export interface GatewayClient {
  /** The typed operations. Error responses are thrown as ClientError. */
  readonly http: Client<paths>;
  readonly token: () => string | undefined;
  /** Sends a request as it is, without a token. */
  readonly fetch: Send;
  readonly WebSocket: SocketConstructor | undefined;
  /** The absolute URL of a gateway path, for links and sockets. */
  url(path: string, query?: Readonly<Record<string, string>>): URL;
}

export function createClient(options: ClientOptions): GatewayClient {
  const { base_url = '.', retries = RETRIES, WebSocket } = options;
  const credentials = toCredentials(options.credentials);
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const http = createFetchClient<paths>({
    baseUrl: base_url,
    fetch: createSend({ fetch: send, credentials, retries }),
  });
  http.use(refusals);
  return {
    http,
    token: credentials.token,
    fetch: send,
    WebSocket,
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

const refusals: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await toClientError(response);
  },
  onError: ({ error, request }) => failureOf(error, request.signal),
};

/** Undefined in Node, where the base URL must be absolute. */
function pageUrl(): string | undefined {
  return typeof document === 'undefined' ? undefined : document.baseURI;
}
