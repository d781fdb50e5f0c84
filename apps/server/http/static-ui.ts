import type { Hono } from 'hono';
import { cors } from 'hono/cors';
import type { AppContext, AppEnv, AppMiddleware } from '#api/http/env.ts';
import type { OtherInstances } from '#core/instances/others.ts';
import { createOtherAssets } from './other-assets.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable'; // names under /assets carry a content hash

export interface FileOptions {
  /** Instead of the requested path. */
  readonly path?: string;
  /** Prefer the `.gz` next to a file where the client accepts it. */
  readonly precompressed?: boolean;
  /** Called before a file is sent. */
  readonly onFound: (path: string, c: AppContext) => void;
}

/** Middleware that sends a built file, or calls the next one if there is none. */
export type ServeFiles = (options: FileOptions) => AppMiddleware;

export interface StaticUiOptions {
  readonly serve: ServeFiles;
  readonly root_path: string;
  /** Instances that may have assets of another version; none for an edge, whose platform keeps its assets. */
  readonly others?: OtherInstances;
  /** Their pages may load the module for other pages. */
  readonly allowed_origins: () => readonly string[];
}

/** Serves the built pages `/`, `/docs` and `/help`, and the module `/embed/sallyport.js`; their relative links work under any prefix. */
export function mountStaticUi(hono: Hono<AppEnv>, options: StaticUiOptions): void {
  const { serve, root_path, others, allowed_origins } = options;
  if (root_path !== '') hono.use('/', redirectToSlash(root_path));
  const page = (path: string) => serve({ path, onFound: noCache });
  hono.get('/', serve({ path: 'index.html', precompressed: true, onFound: noCache }));
  hono.get('/docs', page('docs.html'));
  hono.get('/help', (c) => c.redirect(`${root_path}/help/`, 308)); // the pages of the manual link to each other
  hono.get('/help/', serve({ path: 'help/index.html', precompressed: true, onFound: noCache }));
  hono.use('/embed/*', cors({ origin: (origin) => (allowed_origins().includes(origin) ? origin : null) }));
  hono.use('/embed/sallyport.d.ts', asText);
  hono.get(
    '*',
    serve({
      precompressed: true,
      onFound(path, c) {
        c.header('Cache-Control', path.includes('/assets/') ? IMMUTABLE : 'no-cache');
      },
    }),
  );
  if (!others) return;
  for (const folder of ['/assets', '/embed/assets'])
    hono.get(`${folder}/:name`, createOtherAssets(others, { folder, cache_control: IMMUTABLE }));
}

function noCache(_path: string, c: AppContext): void {
  c.header('Cache-Control', 'no-cache');
}

/** By its extension it would be a video. */
async function asText(c: AppContext, next: () => Promise<void>): Promise<void> {
  await next();
  c.res.headers.set('Content-Type', 'text/plain; charset=utf-8');
}

/** Relative links need the final slash of the prefix. */
function redirectToSlash(root_path: string) {
  return async (c: AppContext, next: () => Promise<void>) =>
    new URL(c.req.url).pathname === root_path ? c.redirect(`${root_path}/`, 308) : next();
}
