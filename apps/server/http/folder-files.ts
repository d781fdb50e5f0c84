import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { serveStatic } from '@hono/node-server/serve-static';
import type { AppContext, AppEnv } from '#api/http/env.ts';
import type { ServeFiles } from './static-ui.ts';

const PAGE = /\.html(\.gz)?$/; // the names of all other files change with their content

/** Serves the built pages from a folder. Pages have an entity tag, so that a browser fetches only those that changed. */
export function serveFolder(web_dir: string): ServeFiles {
  const tagOf = createTags();
  return ({ onFound, ...options }) => {
    const serve = serveStatic<AppEnv>({
      root: web_dir,
      ...options,
      async onFound(path, c) {
        if (PAGE.test(path)) c.header('ETag', await tagOf(path));
        onFound(path, c);
      },
    });
    return async function sendFile(c, next) {
      const response = await serve(c, next);
      if (response?.status !== 200 || !isKnown(response, c)) return response;
      await response.body?.cancel();
      const kept = ['ETag', 'Cache-Control', 'Vary'].flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      return new Response(null, { status: 304, headers: Object.fromEntries(kept) });
    };
  };
}

function isKnown(response: Response, c: AppContext): boolean {
  const tag = response.headers.get('ETag');
  const known =
    c.req
      .header('if-none-match')
      ?.split(',')
      .map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return tag !== null && known.includes(tag);
}

/** Remembers the tag of a file until the file changes: `npm run dev` builds pages again. */
function createTags(): (path: string) => Promise<string> {
  const known = new Map<string, { readonly state: string; readonly tag: string }>();
  return async (path) => {
    const { mtimeMs, size } = await stat(path);
    const state = `${mtimeMs}-${size}`;
    const found = known.get(path);
    if (found?.state === state) return found.tag;
    const tag = `"${createHash('sha256')
      .update(await readFile(path))
      .digest('base64url')}"`;
    known.set(path, { state, tag });
    return tag;
  };
}
