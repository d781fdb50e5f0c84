import { getMimeType } from 'hono/utils/mime';
import type { AppContext } from '#api/http/env.ts';
import type { ServeFiles } from '../http/static-ui.ts';

/** A platform's own store of files, such as the `ASSETS` binding of Cloudflare. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}

const CONDITIONS = ['if-none-match', 'if-modified-since'];
const KEPT = ['etag', 'last-modified', 'content-length'];
const FILE = /^(?:\/[\w.-]+)+\.\w+$/; // a folder might be answered with a listing

/** Serves the built pages from the platform, which compresses them itself. */
export function serveAssets(assets: Assets): ServeFiles {
  return ({ path, onFound }) =>
    async function sendAsset(c, next) {
      const name = path === undefined ? c.req.path : `/${path}`;
      const found = await find(assets, c, name);
      if (!found) return next();
      onFound(name, c);
      const type = getMimeType(name) ?? 'application/octet-stream'; // not every store knows it
      const kept = { ...picked(KEPT, found.headers), 'Content-Type': type };
      return found.status === 304 ? c.body(null, 304, kept) : c.body(found.body ?? '', 200, kept);
    };
}

async function find(assets: Assets, c: AppContext, name: string): Promise<Response | undefined> {
  const { method, raw, url } = c.req;
  if (!FILE.test(name) || !['GET', 'HEAD'].includes(method)) return undefined;
  const headers = picked(CONDITIONS, raw.headers);
  const found = await assets.fetch(new Request(new URL(name, url), { method, headers }));
  if (found.status === 200 || found.status === 304) return found;
  await found.body?.cancel();
  return undefined;
}

function picked(names: readonly string[], from: Headers): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = from.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
