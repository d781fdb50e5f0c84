import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { connectPostgres } from '#db/open-postgres.ts';
import type { PostgresPool } from '#db/postgres-pool.ts';
import { parseEdgeConfig } from '#server/config/edge-config.ts';
import { createEdge, type Edge } from '#server/edge/edge.ts';
import { edgeRuntime } from '#server/edge/edge-runtime.ts';
import { keptConnections } from '#server/edge/request-connections.ts';
import { migratedDatabaseUrl, silent } from '../../support/databases/stores.ts';
import { ADMIN_PASSWORD, SECRET_KEY, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let worker: TestGateway;
let edge: Edge;
let pool: PostgresPool;
const call = { waitUntil: () => undefined };
let cleanup = async () => {};

beforeAll(async () => {
  const database = await migratedDatabaseUrl('postgres');
  cleanup = database.cleanup;
  worker = await startGateway({ database_url: database.url, env: { SERVICE_TRUSTED_PROXIES: '' } });
  pool = connectPostgres(database.url);
  const config = parseEdgeConfig({
    SERVICE_DB_URL: database.url,
    SERVICE_SECRET_KEY: SECRET_KEY,
    SERVICE_WORKER_URL: worker.url,
    SERVICE_INSTANCE_ID: 'edge',
  });
  edge = await createEdge({
    config,
    secret_key: config.secret_key,
    connections: keptConnections(pool),
    version: '0.0.0',
    log: silent,
    runtime: edgeRuntime((c) => c.req.header('x-platform-address') ?? ''),
  });
});
afterAll(async () => {
  await pool?.close(1);
  await worker?.close();
  await cleanup();
});

async function ask(
  method: string,
  path: string,
  options: { token?: string; from?: string; body?: unknown } = {},
) {
  const { token = worker.admin.token, from = '192.0.2.7', body } = options;
  return edge.fetch(
    new Request(`https://gate.example${path}`, {
      method,
      headers: {
        'x-platform-address': from,
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    call,
  );
}

describe('The edge', () => {
  it('answers from the database without a worker', async () => {
    await worker.addServer({ name: 'seen from the edge' });
    expect(await (await ask('GET', '/api/health')).json()).toMatchObject({ instance_id: 'edge' });
    const listed: Server[] = await (await ask('GET', '/api/servers')).json();
    expect(listed.map(({ name }) => name)).toContain('seen from the edge');
  });

  it('applies the gates itself', async () => {
    expect((await ask('GET', '/api/servers', { token: '' })).status).toBe(401);
    expect((await ask('GET', '/api/servers', { token: 'garbage' })).status).toBe(401);
  });

  it('forwards what needs Node, and returns the response unchanged', async () => {
    const signed_in = await ask('POST', '/api/auth/login', {
      token: '',
      body: { username: 'admin', password: ADMIN_PASSWORD },
    });
    const { access_token } = await signed_in.json();
    expect(await (await ask('GET', '/api/auth/me', { token: access_token })).json()).toMatchObject({
      username: 'admin',
    });
    const refused = await ask('POST', '/api/servers', { body: { name: '' } });
    expect([refused.status, (await refused.json()).code]).toEqual([422, 'validation']);
  });

  it('starts an embedded session, and gives it nothing that it answers itself', async () => {
    const { id } = await worker.addServer({ name: 'embedded' });
    const body = { server_id: id, kind: 'files' };
    const { ticket } = await (await ask('POST', '/api/auth/embed-ticket', { body })).json();
    const started = await ask('POST', '/api/auth/embed-session', { token: '', body: { ticket } });
    const { access_token: token } = await started.json();
    for (const path of ['/api/servers', `/api/servers/${id}`, '/api/servers/status']) {
      const refused = await ask('GET', path, { token });
      expect([refused.status, (await refused.json()).code]).toEqual([403, 'embed_refused']);
    }
    expect((await ask('POST', '/api/auth/embed-session/renew', { token })).status).toBe(200);
  });

  it('passes on the caller’s address, so that the login limit counts per address', async () => {
    const attempt = (from: string) =>
      ask('POST', '/api/auth/login', { token: '', from, body: { username: from, password: 'wrong' } });
    for (let count = 0; count < 10; count += 1) expect((await attempt('198.51.100.1')).status).toBe(401);
    expect((await attempt('198.51.100.1')).status).toBe(429);
    expect((await attempt('198.51.100.2')).status).toBe(401);
  });

  it('is not trusted without the secret', async () => {
    const forged = (count: number) =>
      worker.anonymous.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-sallyport-client': `203.0.113.${count}` },
        body: JSON.stringify({ username: 'admin', password: 'wrong' }),
      });
    let last = 0;
    for (let count = 0; count < 12; count += 1) last = (await forged(count)).status;
    expect(last).toBe(429);
  });

  it('compresses the answers of the worker once', async () => {
    const asked = new Request('https://gate.example/api/auth/audit?limit=50', {
      headers: {
        'x-platform-address': '192.0.2.7',
        authorization: `Bearer ${worker.admin.token}`,
        'accept-encoding': 'gzip',
      },
    });
    const response = await edge.fetch(asked, call);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const entries = JSON.parse(gunzipSync(await response.arrayBuffer()).toString());
    expect(entries.length).toBeGreaterThan(5);
  });

  it('serves the same API description as the gateway', async () => {
    const document = await (await ask('GET', '/openapi.json')).json();
    const { body } = await worker.anonymous.call('GET', '/openapi.json');
    const operations = (paths: object) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`),
      );
    expect(operations(document.paths).sort()).toEqual(operations(body['paths'] as object).sort());
  });
});

describe('A download through the edge', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd?.stop());

  it('streams the bytes, with their headers', async () => {
    const bytes = randomBytes(5_000_000);
    const path = join(sshd.folder, 'blob');
    await writeFile(path, bytes);
    const { port, username, password } = sshd;
    const { id } = await worker.addServer({ name: 'far', port, username, password });
    const response = await ask('GET', `/api/files/${id}/download?path=${encodeURIComponent(path)}`);
    expect(response.headers.get('content-length')).toBe('5000000');
    const received = new Uint8Array(await response.arrayBuffer());
    const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
    expect(hash(received)).toBe(hash(bytes));
  });
});
