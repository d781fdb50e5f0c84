import { serveStatic } from '@hono/node-server/serve-static';
import type { AppEnv } from '#api/http/env.ts';
import type { ServeFiles } from './static-ui.ts';

/** Serves the built pages from a folder. */
export function serveFolder(web_dir: string): ServeFiles {
  return (options) => serveStatic<AppEnv>({ root: web_dir, ...options });
}
