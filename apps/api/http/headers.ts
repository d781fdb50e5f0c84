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

const FIXED: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

/** Headers for every response. A route may set a stricter policy of its own. */
export function securityHeaders(runtime: Runtime, frame_ancestors: readonly string[] = []): AppMiddleware {
  const is_framed = frame_ancestors.length > 0;
  const policy = policyWith(is_framed ? frame_ancestors.join(' ') : "'none'");
  // X-Frame-Options has no list of origins: with allowed ancestors, only the CSP can list them.
  const fixed = Object.entries(is_framed ? FIXED : { ...FIXED, 'X-Frame-Options': 'DENY' });
  return async function setSecurityHeaders(c, next) {
    await next();
    for (const [name, value] of fixed) c.header(name, value);
    if (!c.res.headers.has('Content-Security-Policy')) c.header('Content-Security-Policy', policy);
    if (c.req.path.startsWith('/api/') && !c.res.headers.has('Cache-Control'))
      c.header('Cache-Control', 'no-store');
    if (isHttps(c, runtime)) c.header('Strict-Transport-Security', 'max-age=31536000');
  };
}
