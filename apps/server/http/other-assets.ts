import type { Context } from 'hono';
import type { OtherInstances } from '#core/instances/others.ts';

const ASKED_HEADER = 'x-sallyport-passed-on';
const HEAD_MS = 2000;
const MAX_ASKED_AT_ONCE = 8; // the address is public
const NAME = /^[\w-]+-[\w-]{8}\.(?<kind>css|js|png|svg|wasm|woff2)$/;
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  woff2: 'font/woff2',
};

/**
 * Serves an asset that only another instance has. Behind a balancer, the page of one version asks instances of the other
 * version for its assets while they are upgraded one after the other.
 */
export function createOtherAssets(
  others: OtherInstances,
  { folder, cache_control }: { readonly folder: string; readonly cache_control: string },
) {
  let asked = 0;

  async function find(name: string, method: string): Promise<Response | undefined> {
    for (const { url } of await others.list()) {
      const response = await ask(`${url}${folder}/${name}`, method);
      if (response?.status === 200) return response;
      await response?.body?.cancel();
    }
    return undefined;
  }

  return async (c: Context, next: () => Promise<void>): Promise<Response | void> => {
    const name = c.req.param('name') ?? '';
    const type = TYPES[NAME.exec(name)?.groups?.['kind'] ?? ''];
    if (!type || c.req.header(ASKED_HEADER) !== undefined || asked >= MAX_ASKED_AT_ONCE) return next();
    asked += 1;
    const found = await find(name, c.req.method).finally(() => {
      asked -= 1;
    });
    if (!found) return next();
    return c.body(found.body ?? '', 200, { 'Content-Type': type, 'Cache-Control': cache_control });
  };
}

/** Waits a limited time for the head of the answer; the client sets the pace of the body. */
async function ask(url: string, method: string): Promise<Response | undefined> {
  const head = new AbortController();
  const timer = setTimeout(() => head.abort(), HEAD_MS);
  const headers = { [ASKED_HEADER]: '1' };
  try {
    return await fetch(url, { method, headers, redirect: 'manual', signal: head.signal });
  } catch {
    return undefined; // an instance that is about to stop
  } finally {
    clearTimeout(timer);
  }
}
