import { type GatewayClient, type Schemas, take } from '../client.ts';
import { ClientError } from '../transport/client-error.ts';
import type { Ending, LinkError } from './ending.ts';

const ANSWERS_WITHIN_MS = 5000;

/** The failure of a socket that was closed before it opened, or did not open in time. */
export class SocketBlocked extends ClientError {
  constructor(cause?: unknown) {
    super({ status: 0, code: 'network', detail: 'The socket could not be opened' }, { cause });
  }
}

/** Asks the gateway why a socket could not be opened. When requests reach it, a proxy in front of it is at fault. */
export async function explainBlocked(client: GatewayClient): Promise<Ending> {
  const origin = pageOrigin();
  const query = origin === undefined ? {} : { origin };
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  try {
    const arrival = await take(client.http.GET('/api/arrival', { params: { query }, signal }));
    return { kind: 'proxy', error: faultOfProxy(arrival, origin) };
  } catch {
    return { kind: 'unreachable' };
  }
}

/** Returns what the proxy changes, judged by how a request of this page arrived. */
export function faultOfProxy(arrival: Schemas['Arrival'], origin: string | undefined): LinkError {
  const { accepts_origin, requested_host, forwarded_host, is_proxy_trusted } = arrival;
  if (accepts_origin || origin === undefined)
    return { code: 'proxy_upgrade', message: 'Other requests reach the gateway, WebSockets do not' };
  const { host } = new URL(origin);
  const message = `The page is at ${host}, the gateway was asked for ${requested_host || 'no host'}`;
  const is_overlooked = !is_proxy_trusted && forwarded_host?.toLowerCase() === host;
  return { code: is_overlooked ? 'proxy_untrusted' : 'proxy_host', message };
}

/** Undefined outside of browsers, whose sockets name no origin. */
function pageOrigin(): string | undefined {
  return typeof location === 'undefined' ? undefined : location.origin;
}
