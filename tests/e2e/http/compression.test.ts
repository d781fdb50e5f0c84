import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptsGzip } from '#api/http/compression.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { visit } from '../../support/browser/browser.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { OPERATIONS, resolved, type Schema } from '../../support/gateway/operations.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const SERVERS = 40;
const FILES = 2500; // such a listing is sent in slices

const SECRET = /^key$|(token|ticket|secret|password|passphrase|private_key|recovery_code)s?$/;
/** The password of the demo, and the name of a setting. */
const PUBLIC = ['meta.config: password', 'settings.list: key'];

let sshd: Sshd;
let gateway: TestGateway;
let files: string;
let host: Server;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway();
  files = join(sshd.folder, 'many');
  await mkdir(files);
  const written = Array.from({ length: FILES }, (_, i) => writeFile(join(files, `file ${i}`), ''));
  await Promise.all(written);
  const { port, username, password } = sshd;
  host = await gateway.addServer({ name: 'host', port, username, password });
  for (let i = 0; i < SERVERS; i += 1) await gateway.addServer({ name: `server ${i}`, group: `g${i % 2}` });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly body: Buffer;
}

async function ask(path: string, headers: Record<string, string> = {}, actor = gateway.admin): Promise<Raw> {
  const request = get(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${actor.token}`, 'accept-encoding': 'gzip, br', ...headers },
  });
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

const identity = { 'accept-encoding': 'identity' };
const unzipped = ({ body }: Raw) => JSON.parse(gunzipSync(body).toString());
const filePath = (operation: string, path: string) =>
  `/api/files/${host.id}/${operation}?path=${encodeURIComponent(path)}`;

describe('Compression', () => {
  it.each(['/api/servers', '/openapi.json', '/api/servers/export', '/api/servers/status'])(
    'makes %s smaller for a client that takes gzip',
    async (path) => {
      const [zipped, plain] = [await ask(path), await ask(path, identity)];
      expect([zipped.headers['content-encoding'], plain.headers['content-encoding']]).toEqual([
        'gzip',
        undefined,
      ]);
      expect([zipped.headers.vary, plain.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
      expect(unzipped(zipped)).toEqual(JSON.parse(plain.body.toString()));
      expect(zipped.body.length).toBeLessThan(plain.body.length / 3);
    },
  );

  it('makes a long listing smaller', async () => {
    const [zipped, plain] = [await ask(filePath('ls', files)), await ask(filePath('ls', files), identity)];
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(unzipped(zipped).entries).toHaveLength(FILES);
    expect(unzipped(zipped)).toEqual(JSON.parse(plain.body.toString()));
    expect(zipped.body.length).toBeLessThan(plain.body.length / 5);
  });

  it('survives a client that leaves in the middle', async () => {
    const headers = { authorization: `Bearer ${gateway.admin.token}`, 'accept-encoding': 'gzip' };
    for (let i = 0; i < 5; i += 1) {
      const request = get(`${gateway.url}${filePath('ls', files)}`, { headers });
      const [response] = await once(request, 'response');
      response.destroy();
      await once(request, 'close');
    }
    expect(unzipped(await ask(filePath('ls', files))).entries).toHaveLength(FILES);
  });

  it('leaves small answers, errors and answers to writes as they are', async () => {
    for (const path of ['/api/health', '/api/servers/groups', '/api/servers?limit=none'])
      expect((await ask(path)).headers['content-encoding']).toBeUndefined();
    const body = { name: 'new', hostname: 'x', username: 'y', description: 'long '.repeat(500) };
    const { headers } = await gateway.admin.call('POST', '/api/servers', body);
    expect(headers.get('content-encoding')).toBeNull();
  });

  it('leaves the text of a file as it is, and a download', async () => {
    const path = join(sshd.folder, 'long.json');
    await writeFile(path, JSON.stringify({ text: 'long '.repeat(1000) }));
    for (const operation of ['read', 'download']) {
      const { status, headers } = await ask(filePath(operation, path));
      expect([status, headers['content-encoding']]).toEqual([200, undefined]);
    }
  });

  it('leaves event streams as they are', async () => {
    const headers = { authorization: `Bearer ${gateway.admin.token}`, 'accept-encoding': 'gzip' };
    const request = get(`${gateway.url}/api/servers/events`, { headers });
    const [response] = await once(request, 'response');
    const [first] = await once(response, 'data');
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(String(first)).toContain('retry:');
    response.destroy();
  });

  it.each([
    ['gzip', true],
    ['br, GZIP;q=0.1', true],
    ['*', true],
    ['', false],
    ['br', false],
    ['gzip;q=0', false],
    ['*;q=1, gzip; q=0.0', false],
    ['identity', false],
  ])('understands `Accept-Encoding: %s`', (header, accepts) => {
    expect(acceptsGzip(header)).toBe(accepts);
  });

  it('is never used where a read answers with a secret', () => {
    const compressed = OPERATIONS.filter(({ method, mixes_secrets }) => method === 'GET' && !mixes_secrets);
    const secret = compressed.flatMap(({ id, answer }) =>
      [...fieldsOf(answer)]
        .filter(([name, type]) => SECRET.test(name) && type !== 'boolean')
        .map(([name]) => `${id}: ${name}`),
    );
    expect(secret).toEqual(PUBLIC);
    const kept = OPERATIONS.filter(({ mixes_secrets }) => mixes_secrets).map(({ id }) => id);
    expect(kept.sort()).toEqual(['agent.ask', 'agent.chat', 'agent.follow', 'files.read']);
  });
});

/** Every field of a schema, with its type. */
function* fieldsOf(schema: Schema | undefined): Generator<[string, unknown]> {
  const { properties = {}, items, anyOf = [] } = resolved(schema) ?? {};
  for (const [name, field] of Object.entries(properties)) {
    yield [name, field.type];
    yield* fieldsOf(field);
  }
  for (const inner of [...anyOf, ...(items ? [items] : [])]) yield* fieldsOf(inner);
}

describe('The list of servers', () => {
  const tagged = (etag: string | undefined) => ({ 'if-none-match': etag ?? '' });

  it('is not sent again while it is unchanged', async () => {
    const first = await ask('/api/servers');
    expect(first.headers).toMatchObject({ 'cache-control': 'private, no-cache', etag: expect.any(String) });
    for (const headers of [tagged(first.headers.etag), tagged(`"x", ${first.headers.etag}`), tagged('*')]) {
      const again = await ask('/api/servers', headers);
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers).toMatchObject({
        etag: first.headers.etag,
        'cache-control': 'private, no-cache',
        vary: 'Accept-Encoding',
      });
    }
    expect((await ask('/api/servers', { ...tagged(first.headers.etag), ...identity })).status).toBe(304);
    await gateway.admin.call('PUT', `/api/servers/${host.id}`, { description: 'changed' });
    const changed = await ask('/api/servers', tagged(first.headers.etag));
    expect(changed.status).toBe(200);
    expect(unzipped(changed).find(({ id }: Server) => id === host.id).description).toBe('changed');
  });

  it('is another one for each caller’s groups, whatever ETag is sent', async () => {
    const member = await gateway.user({ username: 'member', allowed_groups: ['g1'] });
    const { headers } = await ask('/api/servers');
    const own = await ask('/api/servers', tagged(headers.etag), member);
    expect(own.status).toBe(200);
    expect(new Set(unzipped(own).map(({ group }: Server) => group))).toEqual(new Set(['g1']));
    const [account] = (
      await gateway.admin.call<{ id: number; username: string }[]>('GET', '/api/auth/users')
    ).body.filter(({ username }) => username === 'member');
    await gateway.admin.call('PUT', `/api/auth/users/${account?.id}/groups`, { allowed_groups: [] });
    expect((await ask('/api/servers', tagged(own.headers.etag), member)).body.toString()).toBe('[]');
  });

  it('is revalidated by a browser, which then receives only headers', async () => {
    const browser = await visit(gateway.url);
    const received = await browser.page.evaluate(
      async ({ url, authorization }) => {
        const names = [];
        for (let i = 0; i < 2; i += 1) {
          const servers = await (await fetch(url, { headers: { authorization } })).json();
          names.push(servers.length);
        }
        const entries = performance.getEntriesByName(url, 'resource') as PerformanceResourceTiming[];
        return { names, bytes: entries.map(({ transferSize }) => transferSize) };
      },
      { url: `${gateway.url}/api/servers`, authorization: `Bearer ${gateway.admin.token}` },
    );
    await browser.close();
    expect(received.names[1]).toBe(received.names[0]);
    expect(received.bytes[1]).toBeLessThan((received.bytes[0] ?? 0) / 2);
  });

  it('has pages with the number of all servers, where they are asked for', async () => {
    const whole = await ask('/api/servers', identity);
    expect(whole.headers['x-total-count']).toBeUndefined();
    const all: Server[] = JSON.parse(whole.body.toString());
    const page = await ask('/api/servers?limit=5&offset=3', identity);
    expect(page.headers['x-total-count']).toBe(String(all.length));
    expect(JSON.parse(page.body.toString())).toEqual(all.slice(3, 8));
    const rest = await ask('/api/servers?offset=3', identity);
    expect(JSON.parse(rest.body.toString())).toEqual(all.slice(3, 103));
    const group = await ask('/api/servers?group=g1&limit=1', identity);
    expect(group.headers['x-total-count']).toBe(String(SERVERS / 2));
    for (const query of ['limit=0', 'limit=501', 'offset=-1', 'limit=x'])
      expect((await ask(`/api/servers?${query}`)).status).toBe(422);
  });
});
