import type { AppContext, AppMiddleware, Runtime } from './env.ts';

/** The caller's address: the peer's, or the rightmost untrusted hop that trusted proxies report. */
export function clientIp(runtime: Runtime): AppMiddleware {
  return async function setClientIp(c, next) {
    c.set('ip_address', addressOf(c, runtime));
    await next();
  };
}

function addressOf(c: AppContext, runtime: Runtime): string {
  const peer = plain(runtime.remoteAddress(c));
  const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((hop) => plain(hop.trim()));
  const hops = [...forwarded.filter((hop) => hop !== ''), peer];
  return hops.findLast((hop) => !runtime.isTrustedProxy(hop)) ?? hops[0] ?? peer;
}

/** IPv4 as such, also where a dual-stack socket reports it mapped into IPv6 (RFC 4291 §2.5.5.2). */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
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
