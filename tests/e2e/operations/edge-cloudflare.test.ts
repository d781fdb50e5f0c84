import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { signInAsAdmin, untilTypable, untilTyped, useVisits } from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { addHost } from '../../support/features/chain.ts';
import { shellOn } from '../../support/features/shells.ts';
import { SECRET_KEY, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startWorkerd, type Workerd } from '../../support/gateway/workerd.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

let sshd: Sshd;
let worker: TestGateway;
let edge: Workerd;
let harbor: Server;
let database: postgres.Sql;
let cleanup = async () => {};

const MOST_OF_A_GATEWAY = 12; // its pool, and what a test looks at it with

beforeAll(async () => {
  const { url, cleanup: remove } = await migratedDatabaseUrl('postgres');
  cleanup = remove;
  database = postgres(url, { max: 1 });
  sshd = await startSshd();
  worker = await startGateway({ database_url: url, env: { SERVICE_TRUSTED_PROXIES: '' } });
  harbor = await addHost(worker, { name: 'harbor', sshd });
  await worker.admin.call('PUT', '/api/branding', { app_name: 'Harbor Access' });
  edge = await startWorkerd({
    SERVICE_DB_URL: url,
    SERVICE_SECRET_KEY: SECRET_KEY,
    SERVICE_WORKER_URL: worker.url,
    SERVICE_INSTANCE_ID: 'workerd',
  });
});
afterAll(async () => {
  await edge?.stop();
  await worker?.close();
  await sshd?.stop();
  await database?.end();
  await cleanup();
});

const ask = (path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${worker.admin.token}`, ...init.headers };
  return fetch(`${edge.url}${path}`, { ...init, headers });
};

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('The edge in the runtime of Cloudflare Workers', () => {
  it('answers from the database, request after request and at once', async () => {
    const names = async () => {
      const response = await ask('/api/servers');
      const body = await response.text();
      return response.status === 200 ? JSON.parse(body).map(({ name }: Server) => name) : body;
    };
    for (let count = 0; count < 20; count += 1) expect(await names()).toEqual(['harbor']);
    const at_once = await Promise.all(Array.from({ length: 40 }, names));
    expect(at_once.filter((listed) => String(listed) !== 'harbor')).toEqual([]);
    expect(await (await ask('/api/health')).json()).toMatchObject({ instance_id: 'workerd' });
  });

  it('goes on when clients leave in the middle, and closes the connections of all of them', async () => {
    const leaving = Array.from({ length: 30 }, () => {
      const gone = new AbortController();
      const asked = ask('/api/servers', { signal: gone.signal }).then(
        (response) => response.text(),
        () => '',
      );
      setImmediate(() => gone.abort());
      return asked;
    });
    await Promise.all(leaving);
    expect((await ask('/api/servers')).status).toBe(200);
    const open = () => database`
      select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await expect.poll(async () => (await open()).length).toBeLessThanOrEqual(MOST_OF_A_GATEWAY);
  });

  it('applies the gates itself', async () => {
    for (const authorization of ['', 'Bearer garbage']) {
      expect((await ask('/api/servers', { headers: { authorization } })).status).toBe(401);
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
    expect(down.headers.get('content-length')).toBe('3000000');
    expect(hashOf(new Uint8Array(await down.arrayBuffer()))).toBe(hashOf(bytes));
  });

  it('connects a terminal with the worker', async () => {
    const { client } = await shellOn(edge, harbor.id, worker.admin);
    client.type('echo $((40 + 2))\n');
    await client.sees(/\b42\b/);
    client.close();
    await client.closed();
  });

  it('lets only its own pages connect a terminal', async () => {
    const path = `${edge.url}/api/ws/terminal/${harbor.id}`;
    const from = (origin: string) =>
      openTerminal(path, { headers: { authorization: `Bearer ${worker.admin.token}`, origin } });
    const own = from(edge.url);
    await own.frame('session');
    own.close();
    await own.closed();
    await expect(from('https://elsewhere.example').frame('session')).rejects.toThrow(/403/);
  });

  it('sends the pages with the headers of a gateway', async () => {
    const HEADERS = ['content-security-policy', 'content-type', 'cache-control', 'x-frame-options'];
    for (const path of [
      '/',
      '/docs',
      '/help/',
      '/help/servers.html',
      '/embed/sallyport.js',
      '/embed/sallyport.d.ts',
      '/assets',
      '/nothing.js',
    ]) {
      const [here, there] = await Promise.all([ask(path), fetch(`${worker.url}${path}`)]);
      expect([path, here.status]).toEqual([path, there.status]);
      const of = ({ headers }: Response) => HEADERS.map((name) => headers.get(name));
      expect(of(here)).toEqual(of(there));
      if (here.status === 200) expect(await here.text()).toBe(await there.text());
    }
  });
});

describe('The page of an edge', () => {
  const visits = useVisits();

  it('signs in and opens a terminal, under its own brand', async () => {
    const page = await visits.enter(edge.url);
    await page.getByText('Harbor Access').first().waitFor();
    await signInAsAdmin(page);
    await openTerminalOn(page, 'harbor');
    await untilTypable(page);
    await page.keyboard.type('echo $((40 + 2))\n');
    await untilTyped(page, /^42$/m);
  });

  it('shows the API reference', async () => {
    const page = await visits.enter(edge.url);
    await page.goto(`${edge.url}/docs`);
    await page.getByText('Register a server').first().waitFor();
  });
});

describe('The Worker', () => {
  it('holds no secret, and nothing that only a gateway needs', async () => {
    const folder = new URL('../../../dist/edge/', import.meta.url);
    const modules = ['cloudflare.mjs', 'edge.mjs'].map((name) => readFile(new URL(name, folder), 'utf8'));
    const bundle = (await Promise.all(modules)).join('\n');
    for (const unwanted of [SECRET_KEY, 'SERVICE_LDAP', 'ssh2', 'better-sqlite3']) {
      expect(bundle.includes(unwanted), unwanted).toBe(false);
    }
  });

  it('answers 500 and logs what is wrong with its variables', async () => {
    const { default: unconfigured } = await import(
      new URL('../../../dist/edge/cloudflare.mjs', import.meta.url).href
    );
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const bindings = { SERVICE_SECRET_KEY: SECRET_KEY, SERVICE_WORKER_URL: 'worker' };
    const response = await unconfigured.fetch(new Request('https://edge.example/'), bindings, {});
    const [line] = logged.mock.calls.flat();
    logged.mockRestore();
    expect([response.status, (await response.json()).code]).toEqual([500, 'internal']);
    expect(JSON.parse(line)).toMatchObject({
      err: {
        type: 'ConfigError',
        message: expect.stringMatching(/^SERVICE_WORKER_URL: must be the origin of a gateway/),
      },
    });
    expect(line).not.toContain(SECRET_KEY);
  });

  it('logs nothing but requests', () => {
    const lines = edge.log().trim().split('\n');
    expect(lines.filter((line) => !/"msg":"request"/.test(line))).toEqual([]);
  });
});
