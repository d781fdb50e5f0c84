import type { ForwardedAddresses } from '#core/instances/forwarded-addresses.ts';
import { plainAddress } from '#core/lib/network/network.ts';
import type { AppContext, AppMiddleware, Runtime } from './env.ts';
import { ADDRESS_HEADER, pathOf, provenRequest } from './forward.ts';
import type { StreamLog } from './streamed-body.ts';

// RFC 1918, RFC 4193 and loopback: a peer there may be a proxy that is not configured yet.
const PRIVATE = /^(10|127|192\.168|172\.(1[6-9]|2\d|3[01]))\.|^::1$|^f[cd]/i;

interface ClientIpOptions {
  readonly addresses: Pick<ForwardedAddresses, 'verify'>;
  readonly root_path: string;
  readonly log: StreamLog;
}

/** Sets the caller's address: the one our own edge signed, else the rightmost untrusted hop, else the peer. */
export function clientIp(runtime: Runtime, { addresses, root_path, log }: ClientIpOptions): AppMiddleware {
  let has_warned = false;

  /** Behind a proxy that is not trusted, all callers share one address and its rate limits. */
  function warnOfProxy(c: AppContext): void {
    const peer = plain(runtime.remoteAddress(c));
    if (has_warned || !c.req.header('x-forwarded-for') || !PRIVATE.test(peer) || runtime.isTrustedProxy(peer))
      return;
    has_warned = true;
    log.warn(
      { peer },
      'X-Forwarded-For is ignored: if this is your proxy, name it in SERVICE_TRUSTED_PROXIES',
    );
  }

  return async function setClientIp(c, next) {
    warnOfProxy(c);
    const signed = c.req.header(ADDRESS_HEADER);
    const path = pathOf(c, root_path) + new URL(c.req.url).search;
    const forwarded = signed ? await addresses.verify(signed, provenRequest(c, path)) : undefined;
    c.set('ip_address', forwarded?.ip_address ?? addressOf(c, runtime));
    c.set('forwarded_host', forwarded?.host);
    await next();
  };
}

function addressOf(c: AppContext, runtime: Runtime): string {
  const peer = plain(runtime.remoteAddress(c));
  const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((hop) => plain(hop.trim()));
  // Entries before one that is not an address cannot be trusted.
  const first = forwarded.findLastIndex((hop) => !isAddress(hop)) + 1;
  const hops = [...forwarded.slice(first), peer];
  return hops.findLast((hop) => !runtime.isTrustedProxy(hop)) ?? hops[0] ?? peer;
}

/** Strips the port and brackets that some proxies add, and unmaps IPv4 from IPv6 (RFC 4291 §2.5.5.2). */
function plain(address: string): string {
  const bare = /^\[([^\]]*)\](:\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1');
  return plainAddress(bare);
}

const OCTET = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`);

function isAddress(text: string): boolean {
  return (
    IPV4.test(text) ||
    (/^[\da-f:.]{2,45}$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]`))
  );
}

/** Whether the browser itself used https, according to a trusted proxy. */
export function isHttps(c: AppContext, runtime: Runtime): boolean {
  return forwardedHeader(c, runtime, 'x-forwarded-proto') === 'https' || c.req.url.startsWith('https:');
}

/** Whether the origin is the host that the browser requested, in any case, with or without the default port. */
export function isOwnOrigin(c: AppContext, runtime: Runtime, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  const requested = `${protocol}//${requestedHost(c, runtime)}`;
  return URL.canParse(requested) && host !== '' && new URL(requested).host === host;
}

/** Our own edge or a trusted proxy may have replaced the `Host` header, or dropped its port. */
export function requestedHost(c: AppContext, runtime: Runtime): string {
  if (c.var.forwarded_host !== undefined) return c.var.forwarded_host;
  const host = forwardedHeader(c, runtime, 'x-forwarded-host') ?? c.req.header('host') ?? '';
  const port = forwardedHeader(c, runtime, 'x-forwarded-port') ?? '';
  return /^\d{1,5}$/.test(port) && !HAS_PORT.test(host) ? `${host}:${port}` : host;
}

const HAS_PORT = /:\d+$/; // not of an IPv6 address, which ends with a bracket

/** Whether the `X-Forwarded-*` headers of the sender count. */
export function isFromTrustedProxy(c: AppContext, runtime: Runtime): boolean {
  return runtime.isTrustedProxy(plain(runtime.remoteAddress(c)));
}

function forwardedHeader(c: AppContext, runtime: Runtime, name: string): string | undefined {
  if (!isFromTrustedProxy(c, runtime)) return undefined;
  return c.req.header(name)?.split(',')[0]?.trim();
}
