import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import type { AppContext, AppEnv } from '#api/http/env.ts';
import type { OtherInstances } from '#core/instances/others.ts';
import { createOtherAssets } from './other-assets.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable'; // names under /assets carry a content hash

export interface StaticUiOptions {
  /** Folder of the built pages. */
  readonly web_dir: string;
  readonly root_path: string;
  readonly others: OtherInstances;
}

/** Serves the built pages `/` and `/docs`; their relative links work under any prefix. */
export function mountStaticUi(hono: Hono<AppEnv>, { web_dir, root_path, others }: StaticUiOptions): void {
  if (root_path !== '') hono.use('/', redirectToSlash(root_path));
  const page = (path: string) => serveStatic<AppEnv>({ root: web_dir, path, onFound: noCache });
  hono.get('/', page('index.html'));
  hono.get('/docs', page('docs.html'));
  hono.get(
    '*',
    serveStatic<AppEnv>({
      root: web_dir,
      precompressed: true,
      onFound: (path, c) => c.header('Cache-Control', path.includes('/assets/') ? IMMUTABLE : 'no-cache'),
    }),
  );
  hono.get('/assets/:name', createOtherAssets(others, IMMUTABLE));
}

function noCache(_path: string, c: AppContext): void {
  c.header('Cache-Control', 'no-cache');
}

/** Relative links need the final slash of the prefix. */
function redirectToSlash(root_path: string) {
  return async (c: AppContext, next: () => Promise<void>) =>
    new URL(c.req.url).pathname === root_path ? c.redirect(`${root_path}/`, 308) : next();
}
