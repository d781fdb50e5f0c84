import { isHttps } from './client-ip.ts';
import type { AppMiddleware, Runtime } from './env.ts';

// xterm writes its colours and sizes into style elements, hence inline styles; scripts stay strict.
const policyWith = (frame_ancestors: string) =>
  [
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
    `frame-ancestors ${frame_ancestors}`,
  ].join('; ');

const FIXED: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

/** On every response; a route may have set a stricter policy of its own. */
export function securityHeaders(runtime: Runtime, frame_ancestors: readonly string[] = []): AppMiddleware {
  const is_framed = frame_ancestors.length > 0;
  const policy = policyWith(is_framed ? frame_ancestors.join(' ') : "'none'");
  // It knows no list: where somebody may frame the pages, the policy alone says who.
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
