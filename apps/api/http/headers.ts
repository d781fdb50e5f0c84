import { isHttps } from './client-ip.ts';
import type { AppMiddleware, Runtime } from './env.ts';

// xterm writes its colours and sizes into style elements, hence inline styles; scripts stay strict.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'", // what decodes the images that a terminal shows
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "media-src 'self' blob:",
  'frame-src blob:', // a PDF in the viewer of the browser
  "worker-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const FIXED: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

/** On every response; a route may have set a stricter policy of its own. */
export function securityHeaders(runtime: Runtime): AppMiddleware {
  return async function setSecurityHeaders(c, next) {
    await next();
    for (const [name, value] of Object.entries(FIXED)) c.header(name, value);
    if (!c.res.headers.has('Content-Security-Policy'))
      c.header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    if (c.req.path.startsWith('/api/') && !c.res.headers.has('Cache-Control'))
      c.header('Cache-Control', 'no-store');
    if (isHttps(c, runtime)) c.header('Strict-Transport-Security', 'max-age=31536000');
  };
}
