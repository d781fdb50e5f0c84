import { isFrameAncestor } from '#core/lib/network/origins.ts';
import { isHttps } from './client-ip.ts';
import type { AppMiddleware, Runtime } from './env.ts';

// Inline styles: xterm writes its colors and sizes into style elements.
const policyWith = (frame_ancestors: string) =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'", // decodes images in the terminal
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "media-src 'self' blob:",
    'frame-src blob:', // PDFs in the browser's own viewer
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frame_ancestors}`,
  ].join('; ');

const FIXED = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
});

/** Headers for every response. A route may set a stricter policy of its own. */
export function securityHeaders(
  runtime: Runtime,
  frameAncestors: () => readonly string[] = () => [],
): AppMiddleware {
  return async function setSecurityHeaders(c, next) {
    await next();
    const ancestors = frameAncestors().filter(isFrameAncestor); // a stored text may be older than the rule
    for (const [name, value] of FIXED) c.header(name, value);
    // It has no list of origins: with allowed ancestors, only the CSP can list them.
    if (ancestors.length === 0) c.header('X-Frame-Options', 'DENY');
    if (!c.res.headers.has('Content-Security-Policy')) {
      c.header('Content-Security-Policy', policyWith(ancestors.join(' ') || "'none'"));
    }
    if (c.req.path.startsWith('/api/') && !c.res.headers.has('Cache-Control'))
      c.header('Cache-Control', 'no-store');
    if (isHttps(c, runtime)) c.header('Strict-Transport-Security', 'max-age=31536000');
  };
}
