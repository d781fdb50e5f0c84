import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../../apps/web/help/manual/contents.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const FILES = PAGES.map(({ file }) => file);

let plain: TestGateway;
let prefixed: TestGateway;
beforeAll(async () => {
  [plain, prefixed] = await Promise.all([
    startGateway({ untouched: true }),
    startGateway({ untouched: true, env: { SERVICE_ROOT_PATH: '/ops/ssh' } }),
  ]);
});
afterAll(async () => {
  await plain?.close();
  await prefixed?.close();
});

const addressesIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, address = '']) => address)
    .filter((address) => !/^https?:/.test(address));

/** The path exactly as written: `fetch` would normalize it. */
function sendRaw(path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(plain.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, path }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('The help', () => {
  it('is at /help, with a slash, so that its links work', async () => {
    for (const [gateway, path] of [
      [plain, '/help/'],
      [prefixed, '/ops/ssh/help/'],
    ] as const) {
      const response = await fetch(`${gateway.url}/help`, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([308, path]);
      expect(await (await fetch(`${gateway.url}/help`)).text()).toContain('Sallyport documentation');
    }
  });

  it.each(FILES)('serves %s to everybody, with the policy of the page, which it keeps', async (file) => {
    const response = await fetch(`${plain.url}/help/${file}`);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain(
      "script-src 'self' 'wasm-unsafe-eval';",
    );
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|<[^>]* (style|on\w+)=/i);
    expect(html).not.toMatch(/%[A-Z]+%/);
  });

  it('has links only to what exists, images included, also under a prefix', async () => {
    const known = new Map<string, number>();
    const dead: string[] = [];
    for (const file of FILES) {
      const page = `${prefixed.url}/help/${file}`;
      for (const address of addressesIn(await (await fetch(page)).text())) {
        const { href } = new URL(address.replace(/#.*/, '') || file, page);
        const status = known.get(href) ?? (await fetch(href)).status;
        known.set(href, status);
        if (status !== 200 || !href.startsWith(`${prefixed.url}/`)) dead.push(`${file}: ${address}`);
      }
    }
    expect(dead).toEqual([]);
    expect([...known.keys()].filter((href) => href.endsWith('.png')).length).toBeGreaterThan(20);
  });

  it('says the version that the API document says', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await (await fetch(`${plain.url}/help/`)).text()).toContain(
      `<span class="help-version">${version}</span>`,
    );
    expect((await plain.anonymous.call('GET', '/openapi.json')).body['info']).toMatchObject({ version });
  });

  it('answers a browser that has a page already with 304', async () => {
    const address = `${plain.url}/help/servers.html`;
    const first = await fetch(address);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^(W\/)?"[\w-]+"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    await first.arrayBuffer();
    const again = await fetch(address, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    expect(again.headers.get('content-security-policy')).toContain("default-src 'none'");
    const other = await fetch(address, { headers: { 'if-none-match': '"another"' } });
    expect([other.status, (await other.text()).length > 1000]).toEqual([200, true]);
  });

  it('answers HEAD like GET, without the page', async () => {
    const address = `${plain.url}/help/servers.html`;
    const [head, get] = await Promise.all([fetch(address, { method: 'HEAD' }), fetch(address)]);
    const of = ({ status, headers }: Response) => [
      status,
      ...['content-type', 'etag'].map((name) => headers.get(name)),
    ];
    expect(of(head)).toEqual(of(get));
    expect([await head.text(), (await get.text()).length > 1000]).toEqual(['', true]);
  });

  it('is compressed for those who accept that', async () => {
    const sent = await new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      const address = `${plain.url}/help/servers.html`;
      request(address, { headers: { 'accept-encoding': 'gzip' } }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) });
      })
        .once('error', reject)
        .end();
    });
    expect(sent.encoding).toBe('gzip');
    expect(gunzipSync(sent.bytes).toString()).toContain('Servers and host keys');
  });

  it.each([
    '/help/no-such-page.html',
    '/help/servers.md',
    '/help/docs/servers.md',
    '/help/manual/contents.ts',
    '/help/page.tsx',
    '/help/../../../package.json',
    '/help/..%2f..%2f..%2fpackage.json',
    '/help/%2e%2e/%2e%2e/%2e%2e/package.json',
    '/help/..\\..\\..\\package.json',
    '/help//servers.html',
  ])('serves nothing at %s', async (path) => {
    const { status, text } = await sendRaw(path);
    expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    expect(text).not.toContain('dependencies');
  });
});
