import { ClientError, failureOf, toClientError } from './client-error.ts';
import { keepRequests } from './kept-requests.ts';
import type { Send } from './send.ts';

interface Loading {
  readonly method?: 'GET' | 'HEAD';
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: Send;
}

/** Fetches what needs no token, such as a link with a ticket. Error responses are thrown as ClientError. */
export async function load(url: string, options: Loading = {}): Promise<Response> {
  const { method = 'GET', signal = null, fetch: send = keepRequests((request) => fetch(request)) } = options;
  try {
    const response = await send(new Request(url, { method, signal }));
    if (response.ok) return response;
    throw await toClientError(response);
  } catch (error) {
    throw failureOf(error, signal);
  }
}

/** A browser download does not report why it failed, so the link is checked first. */
export async function assertServed(url: string, options: Omit<Loading, 'method'>): Promise<void> {
  try {
    await load(url, { ...options, method: 'HEAD' });
  } catch (error) {
    if (!(error instanceof ClientError) || error.status === 0) throw error;
    await load(url, options).then(({ body }) => body?.cancel()); // a HEAD response has no body with the reason
  }
}
