import type { ForwardedAddresses } from '#core/instances/forwarded-addresses.ts';
import { plainAddress } from '#core/lib/network.ts';
import type { AppContext, AppMiddleware, Runtime } from './env.ts';
import { ADDRESS_HEADER } from './forward.ts';
import type { StreamLog } from './streamed-body.ts';

// RFC 1918, RFC 4193 and loopback: where proxies stand. Anybody else may send the header to no avail.
const PRIVATE = /^(10|127|192\.168|172\.(1[6-9]|2\d|3[01]))\.|^::1$|^f[cd]/i;

/** The caller's address: what our own edge signed, or the rightmost untrusted hop, or the peer. */
export function clientIp(
  runtime: Runtime,
  addresses: Pick<ForwardedAddresses, 'verify'>,
  log: StreamLog,
): AppMiddleware {
  let is_told = false;

  /** Otherwise all who come through it are one address, and share its limits. */
  function tellOfProxy(c: AppContext): void {
    const peer = plain(runtime.remoteAddress(c));
    if (is_told || !c.req.header('x-forwarded-for') || !PRIVATE.test(peer) || runtime.isTrustedProxy(peer))
      return;
    is_told = true;
    log.warn(
      { peer },
      'X-Forwarded-For is ignored: if this is your proxy, name it in SERVICE_TRUSTED_PROXIES',
    );
  }

  return async function setClientIp(c, next) {
    tellOfProxy(c);
    const signed = c.req.header(ADDRESS_HEADER);
    const forwarded = signed ? await addresses.verify(signed) : undefined;
    c.set('ip_address', forwarded ?? addressOf(c, runtime));
    await next();
  };
}

function addressOf(c: AppContext, runtime: Runtime): string {
  const peer = plain(runtime.remoteAddress(c));
  const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((hop) => plain(hop.trim()));
  // What is no address says nothing, and neither does what stands before it.
  const first = forwarded.findLastIndex((hop) => !isAddress(hop)) + 1;
  const hops = [...forwarded.slice(first), peer];
  return hops.findLast((hop) => !runtime.isTrustedProxy(hop)) ?? hops[0] ?? peer;
}

/** Without a port or brackets, which some proxies add, and IPv4 as such where it is mapped into IPv6 (RFC 4291 §2.5.5.2). */
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

/** Scheme of the browser's own request, as far as a trusted proxy says so. */
export function isHttps(c: AppContext, runtime: Runtime): boolean {
  return forwardedHeader(c, runtime, 'x-forwarded-proto') === 'https' || c.req.url.startsWith('https:');
}

/** Host that the browser asked for: a trusted proxy may have replaced the `Host` header. */
export function requestedHost(c: AppContext, runtime: Runtime): string {
  return forwardedHeader(c, runtime, 'x-forwarded-host') ?? c.req.header('host') ?? '';
}

function forwardedHeader(c: AppContext, runtime: Runtime, name: string): string | undefined {
  if (!runtime.isTrustedProxy(plain(runtime.remoteAddress(c)))) return undefined;
  return c.req.header(name)?.split(',')[0]?.trim();
}
