import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WORKER_ROUTES } from '#api/contract/routes.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { parseConfig } from '#server/config/config.ts';
import { composeNodeEdge } from '#server/edge/node.ts';
import type { Gateway } from '#server/gateway.ts';
import { type Listener, listen } from '#server/http/listen.ts';
import { migratedDatabaseUrl, silent } from '../../support/databases/stores.ts';
import { addHost } from '../../support/features/chain.ts';
import { shellOn, socketTo } from '../../support/features/shells.ts';
import { SECRET_KEY, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let worker: TestGateway;
let edge: Gateway;
let listener: Listener;
let url: string;
let harbor: Server;
let environment: Record<string, string>;
let cleanup = async () => {};

beforeAll(async () => {
  const database = await migratedDatabaseUrl('postgres');
  cleanup = database.cleanup;
  sshd = await startSshd();
  const env = { SERVICE_TRUSTED_PROXIES: '' };
  worker = await startGateway({ database_url: database.url, env, role: 'worker' });
  harbor = await addHost(worker, { name: 'harbor', sshd });
  environment = {
    SERVICE_DB_URL: database.url,
    SERVICE_SECRET_KEY: SECRET_KEY,
    SERVICE_WORKER_URL: worker.url,
    SERVICE_PORT: '0',
  };
  const config = parseConfig(environment);
  edge = await composeNodeEdge(config, environment, silent);
  listener = await listen(edge, config);
  url = `http://127.0.0.1:${listener.port}`;
});
afterAll(async () => {
  edge?.drain();
  await listener?.close();
  await edge?.close();
  await worker?.close();
  await sshd?.stop();
  await cleanup();
});

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${worker.admin.token}` } });

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const upgradeHeaders = () => ({
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': randomBytes(16).toString('base64'),
});

describe('A process in the role of a worker', () => {
  it('serves what an edge forwards, its health, and nothing else', async () => {
    const { paths } = await (await ask('/openapi.json')).json();
    const nameOf = (method: string, path: string) => `${method.toUpperCase()} ${path}`;
    const served = [...WORKER_ROUTES.map(({ method, path }) => nameOf(method, path)), 'GET /api/health'];
    const all = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method, path })),
    );
    const refused: string[] = [];
    for (const { method, path } of all) {
      const { status } = await worker.anonymous.call(method.toUpperCase(), path.replace(/\{\w+\}/g, '1'));
      if (status === 421) refused.push(nameOf(method, path));
    }
    const rest = all.map(({ method, path }) => nameOf(method, path)).filter((name) => !served.includes(name));
    expect(refused.sort()).toEqual(rest.sort());
    expect(rest).toContain('GET /api/servers');
  });

  it.each(['/', '/docs', '/help/', '/openapi.json', '/api/no-such-thing'])(
    'refuses %s and says why',
    async (path) => {
      const { status, body } = await worker.admin.call('GET', path);
      expect([status, body['code']]).toEqual([421, 'worker_only']);
    },
  );
});

describe('An edge as a Node process', () => {
  it('logs why it cannot reach its worker', async () => {
    const errors: object[] = [];
    const log = { ...silent, error: (fields: object) => void errors.push(fields) };
    const alone = { ...environment, SERVICE_WORKER_URL: 'http://127.0.0.1:1' };
    const config = parseConfig(alone);
    const other = await composeNodeEdge(config, alone, log);
    const at = await listen(other, config);
    const { status } = await fetch(`http://127.0.0.1:${at.port}/api/health/ready`);
    expect([status, errors]).toMatchObject([502, [{ err: expect.any(Error) }]]);
    await at.close();
    await other.close();
  });

  it('answers from the database and sends the pages', async () => {
    const listed: Server[] = await (await ask('/api/servers')).json();
    expect(listed.map(({ name }) => name)).toEqual(['harbor']);
    for (const path of ['/', '/docs', '/help', '/help/servers.html']) {
      const page = await ask(path);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }
  });

  it('takes files up and down unchanged', async () => {
    const bytes = randomBytes(3_000_000);
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'up.bin');
    const target = `path=${encodeURIComponent(sshd.folder)}`;
    const up = await ask(`/api/files/${harbor.id}/upload?${target}`, { method: 'POST', body: form });
    expect(up.status).toBe(200);
    const stored = join(sshd.folder, 'up.bin');
    expect(hashOf(await readFile(stored))).toBe(hashOf(bytes));
    const down = await ask(`/api/files/${harbor.id}/download?path=${encodeURIComponent(stored)}`);
    expect(hashOf(new Uint8Array(await down.arrayBuffer()))).toBe(hashOf(bytes));
  });

  it('relays a terminal, and the refusal of one', async () => {
    const { client } = await shellOn({ url }, harbor.id, worker.admin);
    client.type('echo $((40 + 2))\n');
    await client.sees(/\b42\b/);
    client.close();
    await client.closed();
    expect(await socketTo({ url }, '999999', worker.admin).closed()).toMatchObject({ code: 4004 });
  });

  it('lets only its own pages connect a terminal', async () => {
    const path = `${url}/api/ws/terminal/${harbor.id}`;
    const from = (origin: string) =>
      openTerminal(path, { headers: { authorization: `Bearer ${worker.admin.token}`, origin } });
    const own = from(url);
    await own.frame('session');
    own.close();
    await own.closed();
    const headers = { ...upgradeHeaders(), origin: 'https://elsewhere.example' };
    const asking = request(path, { headers }).end();
    const [answer] = await once(asking, 'response');
    expect(answer.statusCode).toBe(403);
    answer.resume();
  });

  it('takes uploads of clients that wait to be asked for the body', async () => {
    const bytes = Buffer.alloc(100_000, 1);
    const target = new URLSearchParams({ path: sshd.folder });
    const headers = {
      authorization: `Bearer ${worker.admin.token}`,
      'content-type': 'multipart/form-data; boundary=b',
      expect: '100-continue',
    };
    const asking = request(`${url}/api/files/${harbor.id}/upload?${target}`, { method: 'POST', headers });
    asking.flushHeaders();
    await once(asking, 'continue');
    asking.write('--b\r\nContent-Disposition: form-data; name="f"; filename="waited.bin"\r\n\r\n');
    asking.end(Buffer.concat([bytes, Buffer.from('\r\n--b--\r\n')]));
    const [answer] = await once(asking, 'response');
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(hashOf(await readFile(join(sshd.folder, 'waited.bin')))).toBe(hashOf(bytes));
  });
});
