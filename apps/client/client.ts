import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import type { components, paths } from './schema.gen.ts';
import { failureOf, toClientError } from './transport/client-error.ts';
import { type Credentials, toCredentials } from './transport/credentials.ts';
import { keepRequests } from './transport/kept-requests.ts';
import type { SocketConstructor } from './transport/plain-socket.ts';
import type { Send } from './transport/send.ts';
import { createSend } from './transport/sending.ts';
import { createTokenHeader } from './transport/token-header.ts';
import { holdToBody } from './transport/whole-body.ts';

export type Schemas = components['schemas'];

const RETRIES = 2;
const TRANSFER_RETRIES = 8;

export interface ClientOptions {
  /** The gateway's URL; by default relative to the page, under any path prefix. */
  readonly base_url?: string;
  /** An API key, or how to get a token. Without them, only public operations succeed. */
  readonly credentials?: string | Credentials;
  /** How often a request is repeated that failed for now (by default twice), and a transfer without progress (eight times). */
  readonly retries?: number;
  readonly fetch?: Send;
  /** For runtimes without a global WebSocket. */
  readonly WebSocket?: SocketConstructor;
  /** Names this client to the gateway, which then counts what it types; by default a random name. Letters, digits, `-` and `_`. */
  readonly client_id?: string;
}

export interface GatewayClient {
  /** The typed operations. Error responses are thrown as ClientError. */
  readonly http: Client<paths>;
  readonly token: () => string | undefined;
  /** The header to send a token in; see `transport/sending.ts` for when it changes. */
  readonly tokenHeader: (token: string) => [name: string, value: string];
  /** Sends a request as it is, without a token. */
  readonly fetch: Send;
  readonly WebSocket: SocketConstructor | undefined;
  readonly client_id: string;
  /** How often a transfer is resumed in a row without progress. */
  readonly transfer_retries: number;
  /** The absolute URL of a gateway path, for links and sockets. */
  url(path: string, query?: Readonly<Record<string, string>>): URL;
}

export function createClient(options: ClientOptions): GatewayClient {
  const { base_url = '.', retries = RETRIES, WebSocket, client_id = randomName() } = options;
  const transfer_retries = options.retries ?? TRANSFER_RETRIES;
  const credentials = toCredentials(options.credentials);
  const header = createTokenHeader();
  const send = keepRequests(options.fetch ?? ((request: Request) => fetch(request)));
  const http = createFetchClient<paths>({
    baseUrl: base_url,
    fetch: createSend({ fetch: send, credentials, header, retries }),
  });
  http.use(refusals);
  return {
    http,
    token: credentials.token,
    tokenHeader: header.of,
    fetch: send,
    WebSocket,
    client_id,
    transfer_retries,
    url(path, query = {}) {
      const url = new URL(path.replace(/^\//, ''), new URL(`${base_url.replace(/\/$/, '')}/`, pageUrl()));
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url;
    },
  };
}

function randomName(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
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
  async onResponse({ response, request, options }) {
    if (!response.ok) throw await toClientError(response);
    await holdToBody(response, { parseAs: options.parseAs, signal: request.signal });
  },
  onError: ({ error, request }) => failureOf(error, request.signal),
};

/** Undefined in Node, where the base URL must be absolute. */
function pageUrl(): string | undefined {
  return typeof document === 'undefined' ? undefined : document.baseURI;
}
