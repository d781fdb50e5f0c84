import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { auditRows } from '../../support/features/audit.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Nginx, startNginx } from '../../support/gateway/nginx.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(MIB, 'sallyport ');
const NGINX_BUFFER_CHUNKS = 20; // More than the proxy, TLS and the kernel buffer by default.

const hostOf = (gateway: TestGateway) => new URL(gateway.url).host;
const bearer = ({ admin }: TestGateway) => ({ authorization: `Bearer ${admin.token}` });

const SHAPES = [
  ['nginx.conf', '', 200],
  ['nginx-subpath.conf', '/ssh', 60],
] as const;

describe.each(SHAPES)('Behind %s', (file, prefix, chunks) => {
  let host: FileHost;
  let nginx: Nginx;

  beforeAll(async () => {
    const env = { SERVICE_ROOT_PATH: prefix };
    host = await startFileHost({ gateway: { env } });
    nginx = await startNginx(file, { '127.0.0.1:8443': hostOf(host.gateway) });
  });
  afterAll(async () => {
    await nginx?.stop();
    await host?.stop();
  });

  const authorized = () => ({ headers: bearer(host.gateway) });
  const terminal = (query: string, headers = {}) =>
    openTerminal(`${nginx.url}${prefix}/api/ws/terminal/${host.server.id}?cols=80&rows=24${query}`, {
      ca: nginx.ca,
      headers,
    });

  it('the page and its assets load, with HSTS', async () => {
    const page = await nginx.ask(`${prefix}/`);
    const [, script] = /src="([^"]+\.js)"/.exec(page.text) ?? [];
    const { status, headers } = await nginx.ask(`${prefix}/${script}`);
    expect([page.status, status, headers['content-type']]).toEqual([
      200,
      200,
      'text/javascript; charset=utf-8',
    ]);
    expect(page.headers['strict-transport-security']).toMatch(/max-age=\d+/);
  });

  it('a sign-in works over HTTP/2, as in browsers', async () => {
    const session = nginx.http2();
    const body = { username: 'admin', password: ADMIN_PASSWORD };
    const answer = await askHttp2(session, `${prefix}/api/auth/login`, body);
    expect([answer.status, JSON.parse(answer.text).token_type]).toEqual([200, 'bearer']);
    session.close();
  });

  it('a terminal opens from the gateway’s own page', async () => {
    const client = terminal('', { ...bearer(host.gateway), origin: new URL(nginx.url).origin });
    await client.frame('session');
    client.type('echo through $((40 + 2))\n');
    await client.sees('through 42');
    client.close(1000);
    expect((await client.closed()).code).toBe(1000);
  });

  it('the close codes of the gateway arrive', async () => {
    const foreign = { ...bearer(host.gateway), origin: 'https://elsewhere.example' };
    await expect(terminal('', foreign).frame('error')).rejects.toThrow(/403/); // Before the upgrade.
    expect((await terminal('&token=none').closed()).code).toBe(4001);
    const client = terminal('', bearer(host.gateway));
    const { session_id } = await client.frame('session');
    await nginx.ask(`${prefix}/api/terminal/sessions/${session_id}`, { method: 'DELETE', ...authorized() });
    expect((await client.closed()).code).toBe(4009);
  });

  it('events arrive as they happen', async () => {
    const silent = await startSilentPeer();
    const { id } = await host.gateway.addServer({
      name: 'silent',
      port: silent.port,
      password: 'x',
    });
    const headers = { ...bearer(host.gateway), accept: 'text/event-stream' };
    const events = await nginx.begin(`${prefix}/api/servers/${id}/test`, { method: 'POST', headers });
    let text = '';
    for await (const chunk of events.setEncoding('utf8')) {
      text += chunk;
      if (text.includes('"tcp"')) break; // Otherwise the handshake would fail only after SERVICE_SSH_CONNECT_TIMEOUT.
    }
    expect(text).toContain('"tcp"');
    await silent.stop();
  });

  it('a range of a file is downloaded', async () => {
    const path = await host.put('numbers.txt', '0123456789');
    const { status, headers, text } = await nginx.ask(
      `${prefix}/api/files/${host.server.id}/download?path=${encodeURIComponent(path)}`,
      { headers: { ...bearer(host.gateway), range: 'bytes=3-5' } },
    );
    expect([status, headers['content-range'], text]).toEqual([206, 'bytes 3-5/10', '345']);
  });

  it('a large upload is at the host while it is still being sent', async () => {
    const folder = await host.make('uploads');
    const session = nginx.http2();
    const path = `${prefix}/api/files/${host.server.id}/upload?path=${encodeURIComponent(folder)}`;
    const upload = openUpload(session, path, host.gateway);
    for (let sent = 0; sent < chunks / 2; sent += 1) await upload.write(CHUNK);
    await eventually(async () => {
      expect(await bytesIn(folder)).toBeGreaterThan((chunks / 2 - NGINX_BUFFER_CHUNKS) * MIB);
    });
    for (let sent = chunks / 2; sent < chunks; sent += 1) await upload.write(CHUNK);
    expect(await upload.end()).toBe(200);
    expect(await bytesIn(folder)).toBe(chunks * MIB);
    session.close();
  });
});

describe('Behind nginx.conf, the address of a caller', () => {
  const CALLER = '127.0.0.77';
  const CLAIMED = '203.0.113.9';

  it.each([
    ['is that of the caller when the proxy is trusted', '127.0.0.1', CALLER],
    ['is that of the proxy when it is not', '192.0.2.1', '127.0.0.1'],
  ])('%s, whatever the caller claims', async (_what, trusted, seen) => {
    const gateway = await startGateway({ env: { SERVICE_TRUSTED_PROXIES: trusted } });
    const nginx = await startNginx('nginx.conf', { '127.0.0.1:8443': hostOf(gateway) });
    const answer = await nginx.ask('/api/auth/login', {
      method: 'POST',
      from: CALLER,
      headers: { 'x-forwarded-for': CLAIMED },
      body: { username: 'whoever', password: 'wrong' },
    });
    expect(answer.status).toBe(401);
    expect('strict-transport-security' in answer.headers).toBe(trusted === '127.0.0.1');
    const failed = (await auditRows(gateway.store)).find(({ action }) => action === 'login_failed');
    expect(failed?.ip_address).toBe(seen);
    await nginx.stop();
    await gateway.close();
  });

  it('is used for HTTPS only', async () => {
    const nginx = await startNginx('nginx.conf', { '127.0.0.1:8443': '127.0.0.1:9' });
    const asked = request({
      port: nginx.plain_port,
      path: '/x?y=1',
      headers: { host: 'gate.example.org' },
    }).end();
    const [answer] = await once(asked, 'response');
    expect([answer.statusCode, answer.headers.location]).toEqual([301, 'https://gate.example.org/x?y=1']);
    await nginx.stop();
  });
});

describe('Behind nginx-ha.conf, a request', () => {
  const UNAVAILABLE =
    'HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
  const AT_ONCE = { 'proxy_read_timeout  30s': 'proxy_read_timeout 300ms' };

  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway?.close());

  const behind = async (other: number) => {
    const gateways = { 'gateway-a:8443': hostOf(gateway), 'gateway-b:8443': `127.0.0.1:${other}` };
    const nginx = await startNginx('nginx-ha.conf', gateways, AT_ONCE);
    onTestFinished(nginx.stop);
    return nginx;
  };

  it.each([
    ['is frozen', () => startSilentPeer()],
    ['answers 503', () => startTalkingPeer(UNAVAILABLE)],
  ])('is answered by the other gateway when one %s', async (_what, start) => {
    const peer = await start();
    onTestFinished(peer.stop);
    const nginx = await behind(peer.port);
    const answers = await Promise.all(Array.from({ length: 6 }, () => nginx.ask('/api/health')));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  });

  it('that changes something is not sent twice', async () => {
    const peer = await startTalkingPeer(UNAVAILABLE);
    onTestFinished(peer.stop);
    const nginx = await behind(peer.port);
    const signIn = () =>
      nginx.ask('/api/auth/login', { method: 'POST', body: { username: 'admin', password: 'wrong' } });
    const answers = [await signIn(), await signIn()];
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 503]);
  });

  it('is refused in the form of the API when no gateway is left', async () => {
    const nobody = { 'gateway-a:8443': '127.0.0.1:9', 'gateway-b:8443': '127.0.0.1:9' };
    const nginx = await startNginx('nginx-ha.conf', nobody, AT_ONCE);
    onTestFinished(nginx.stop);
    const { status, headers, text } = await nginx.ask('/api/health');
    expect([status, headers['retry-after'], JSON.parse(text).code]).toEqual([
      503,
      '5',
      'gateway_unavailable',
    ]);
  });
});

describe('Behind nginx-ha.conf', () => {
  let database: FreshDatabase;
  let host: FileHost;
  let other: TestGateway;
  let nginx: Nginx;

  beforeAll(async () => {
    database = await migratedDatabaseUrl('postgres');
    host = await startFileHost({ gateway: { database_url: database.url } });
    other = await startGateway({ database_url: database.url, untouched: true });
    nginx = await startNginx('nginx-ha.conf', {
      'gateway-a:8443': hostOf(host.gateway),
      'gateway-b:8443': hostOf(other),
    });
  });
  afterAll(async () => {
    await nginx?.stop();
    await host?.stop();
    await database?.cleanup();
  });

  const terminal = () =>
    openTerminal(`${nginx.url}/api/ws/terminal/${host.server.id}?cols=80&rows=24`, {
      ca: nginx.ca,
      headers: bearer(host.gateway),
    });
  const instance = async () => {
    const { status, text } = await nginx.ask('/api/health');
    return { status, id: JSON.parse(text).instance_id as string };
  };
  const signIn = () =>
    nginx.ask('/api/auth/login', { method: 'POST', body: { username: 'admin', password: ADMIN_PASSWORD } });

  it('one gateway that stops closes its terminals, and the other answers everything else', async () => {
    const before = await Promise.all(Array.from({ length: 8 }, instance));
    expect(new Set(before.map(({ id }) => id))).toEqual(
      new Set([host.gateway.config.instance_id, other.config.instance_id]),
    );
    const terminals = [terminal(), terminal(), terminal(), terminal()];
    for (const client of terminals) await client.frame('session');
    const closed = Promise.race(terminals.map((client) => client.closed()));
    const stopped = other.close();
    expect((await closed).code).toBe(1012);
    await stopped;
    const after = [];
    for (let asked = 0; asked < 20; asked += 1) after.push(await instance());
    expect(new Set(after.map(({ status, id }) => `${status} ${id}`))).toEqual(
      new Set([`200 ${host.gateway.config.instance_id}`]),
    );
    expect((await signIn()).status).toBe(200); // They never reached the stopped one, so nothing is sent twice.
    const again = terminal();
    await again.frame('session');
    again.close(1000);
  });
});

async function askHttp2(session: ClientHttp2Session, path: string, body: object) {
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
  const [headers]: [IncomingHttpHeaders] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return { status: Number(headers[':status']), text };
}

/** One file of a multipart form, whose bytes are sent unchanged. */
function openUpload(session: ClientHttp2Session, path: string, gateway: TestGateway) {
  const boundary = 'between-the-parts';
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    ...bearer(gateway),
  });
  const answered = once(stream, 'response');
  stream.resume();
  stream.write(`--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="large"\r\n\r\n`);
  return {
    write: (chunk: Buffer) => new Promise<void>((resolve) => stream.write(chunk, () => resolve())),
    async end(): Promise<number> {
      stream.end(`\r\n--${boundary}--\r\n`);
      const [headers] = await answered;
      return Number(headers[':status']);
    },
  };
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
