import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrol } from '../../support/features/totp.ts';
import {
  type Actor,
  type Answer,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { OPERATIONS, type Operation, pathOf } from '../../support/gateway/operations.ts';
import { connectedTerminal, openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const PREFIX = '/ssh';
const PAGES = ['/', '/docs', '/openapi.json', '/api/health'];

let plain: TestGateway;
let prefixed: TestGateway;
/** The address of the prefixed gateway, without the prefix. */
let bare: string;

beforeAll(async () => {
  plain = await startGateway();
  prefixed = await startGateway({ env: { SERVICE_ROOT_PATH: PREFIX } });
  bare = new URL(prefixed.url).origin;
  for (const gateway of [plain, prefixed]) await gateway.user({ username: 'chief', is_admin: true });
});
afterAll(async () => {
  await prefixed?.close();
  await plain?.close();
});

/** A new session each time, since some operations end it. */
const CALLERS: Readonly<Record<string, (gateway: TestGateway) => Actor | Promise<Actor>>> = {
  anybody: ({ anonymous }) => anonymous,
  'an administrator': (gateway) => gateway.signIn('chief', USER_PASSWORD),
};

async function ask(gateway: TestGateway, actor: Actor, operation: Operation) {
  const path = pathOf(operation);
  if (operation.socket) return askSocket(gateway.url + path, actor);
  const { status, body } = await actor.call(operation.method, path, operation.body ? {} : undefined);
  return { status, code: body?.['code'], errors: body?.['errors'] };
}

async function askSocket(address: string, { token }: Actor) {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const client = await connectedTerminal(`${address}?cols=80&rows=24`, { headers });
  client.send({ type: 'open' }); // Otherwise a quick connection waits for it.
  const { code } = await client.frame('error');
  return { status: (await client.closed()).code, code };
}

/** The path exactly as written: `fetch` would normalize it. */
function sendRaw(path: string, headers: Record<string, string> = {}) {
  const { port } = new URL(bare);
  return new Promise<{ status: number; location: string | undefined; text: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, location: response.headers.location, text });
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('Under a prefix', () => {
  it.each(OPERATIONS)('$method $path answers as without one', async (operation) => {
    for (const [who, actor] of Object.entries(CALLERS)) {
      const expected = await ask(plain, await actor(plain), operation);
      expect({ who, ...(await ask(prefixed, await actor(prefixed), operation)) }).toEqual({
        who,
        ...expected,
      });
    }
  });

  it.each(OPERATIONS)('$method $path is 404 without the prefix', async (operation) => {
    const { method } = operation;
    const headers = { authorization: `Bearer ${prefixed.admin.token}` };
    const response = await fetch(bare + pathOf(operation), { method, headers, redirect: 'manual' });
    expect([response.status, (await response.json()).code]).toEqual([404, 'route_not_found']);
  });

  it.each([...PAGES, '/ssh/ssh/api/health', '/sshx/api/health', '/SSH/api/health', '/api/ssh/health'])(
    '%s is 404 outside it, without a redirect',
    async (path) => {
      const { status, location } = await sendRaw(path);
      expect({ status, location }).toEqual({ status: 404, location: undefined });
    },
  );

  it('the bare prefix redirects to its page once, and the page does not redirect', async () => {
    expect(await sendRaw(PREFIX)).toMatchObject({ status: 308, location: `${PREFIX}/` });
    expect(await sendRaw(`${PREFIX}/`)).toMatchObject({ status: 200, location: undefined });
    for (const path of ['/docs', '/openapi.json']) {
      expect(await sendRaw(PREFIX + path)).toMatchObject({ status: 200, location: undefined });
    }
  });

  it('every request still has its id and its security headers', async () => {
    for (const path of PAGES) {
      const { headers } = await prefixed.anonymous.call('GET', path);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    }
    expect((await prefixed.anonymous.call('GET', '/api/health')).headers.get('cache-control')).toBe(
      'no-store',
    );
  });

  it('the OpenAPI document names it, and is otherwise the same', async () => {
    const documentOf = async ({ anonymous }: TestGateway) =>
      (await anonymous.call('GET', '/openapi.json')).body;
    const { servers, ...rest } = await documentOf(prefixed);
    expect(servers).toEqual([{ url: PREFIX }]);
    expect(rest).toEqual({ ...(await documentOf(plain)), servers: undefined });
  });

  it.each(['/', '/docs'])('the page %s and everything it loads have relative links only', async (page) => {
    const html = await (await prefixed.anonymous.fetch(page)).text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) {
      expect(link).not.toMatch(/^(\/|[a-z]+:)/);
      const asset = await fetch(new URL(link, `${prefixed.url}${page}`));
      expect({ link, status: asset.status }).toEqual({ link, status: 200 });
      const type = asset.headers.get('content-type') ?? '';
      const text = /javascript|css/.test(type) ? await asset.text() : '';
      expect({ link, absolute: text.match(/(?:url\(|from|import\()\s*["']?\/(?!\/)[\w/]*assets/g) }).toEqual({
        link,
        absolute: null,
      });
    }
  });
});

describe('Gates under a prefix', () => {
  const TRICKS = [
    '/ssh//api/servers',
    '//ssh/api/servers',
    '/ssh/./api/servers',
    '/ssh/../ssh/api/servers',
    '/%73sh/api/servers',
    '/ssh%2fapi/servers',
    '/ssh/%61pi/servers',
    '/ssh/api%2fservers',
    '/ssh/api/servers/',
    '/ssh/api//servers',
    '/ssh/api/auth/me/../../servers',
    '/ssh/api/auth/me%2f..%2f..%2fservers',
    '/ssh/api/servers;/api/auth/me',
    '/ssh/api/servers?/api/auth/me',
    '/ssh/api/servers#/api/auth/me',
    '\\ssh\\api\\servers',
  ];
  let newcomer: Actor;
  let pending: Actor;

  beforeAll(async () => {
    await prefixed.addServer({ name: 'behind the gate' });
    newcomer = await prefixed.user({ username: 'newcomer', is_admin: true, must_change_password: true });
    await enrol(await prefixed.user({ username: 'careful', is_admin: true }));
    pending = await prefixed.signIn('careful', USER_PASSWORD);
  });

  it.each(TRICKS)('%s shows no server to a caller whom a gate refuses', async (path) => {
    for (const token of ['', newcomer.token, pending.token]) {
      const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
      const { status, text } = await sendRaw(path, headers);
      expect([400, 401, 403, 404]).toContain(status);
      expect(text).not.toContain('behind the gate');
    }
  });

  it('allow a user who must change the password only that', async () => {
    expect((await newcomer.call('GET', '/api/auth/me')).status).toBe(200);
    expect((await newcomer.call('GET', '/api/servers')).body).toEqual({
      detail: 'Password change required',
      code: 'password_change_required',
    });
    const password = { new_password: 'changed-password-9' };
    expect((await newcomer.call('POST', '/api/auth/change-password', password)).status).toBe(200);
    expect((await newcomer.call('GET', '/api/servers')).status).toBe(200);
  });

  it('count the logins of one address', async () => {
    const attempt = () =>
      prefixed.anonymous.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.9' },
        body: JSON.stringify({ username: 'nobody', password: 'wrong' }),
      });
    for (let count = 0; count < 10; count += 1) expect((await attempt()).status).toBe(401);
    expect((await attempt()).status).toBe(429);
  });
});

describe('A host under a prefix', () => {
  let sshd: Sshd;
  let server_id: number;

  beforeAll(async () => {
    sshd = await startSshd();
    await writeFile(join(sshd.folder, 'a b.txt'), 'prefixed\n');
    const { port, username, password } = sshd;
    server_id = (await prefixed.addServer({ name: 'box', port, username, password })).id;
  });
  afterAll(() => sshd?.stop());

  it('opens a terminal with a ticket, once', async () => {
    const { body } = await prefixed.admin.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
    const url = `${prefixed.url}/api/ws/terminal/${server_id}?cols=80&rows=24&ticket=${body.ticket}`;
    const client = openTerminal(url, { headers: { origin: bare } });
    await client.frame('session');
    client.close(1000);
    expect((await openTerminal(url).closed()).code).toBe(4001);
  });

  it('accepts no socket outside the prefix', async () => {
    const url = `${bare}/api/ws/terminal/${server_id}?token=${prefixed.admin.token}`;
    const client = openTerminal(url);
    await expect(client.frame('session')).rejects.toThrow(/4004|404|400/);
  });

  it('downloads with a ticket for the same path', async () => {
    const path = join(sshd.folder, 'a b.txt');
    const asked: Answer<{ ticket: string }> = await prefixed.admin.call(
      'POST',
      `/api/files/${server_id}/ticket`,
      { path },
    );
    const download = `/api/files/${server_id}/download?path=${encodeURIComponent(path)}`;
    const { ticket } = asked.body;
    const response = await prefixed.anonymous.fetch(`${download}&ticket=${ticket}`);
    expect([response.status, await response.text()]).toEqual([200, 'prefixed\n']);
    expect((await fetch(`${bare}${download}&ticket=${ticket}`)).status).toBe(404);
  });
});

describe('SERVICE_ROOT_PATH', () => {
  it('may end in a slash', async () => {
    const gateway = await startGateway({ env: { SERVICE_ROOT_PATH: '/ssh/' }, untouched: true });
    const { origin } = new URL(gateway.url);
    expect((await fetch(`${origin}/ssh/api/health`)).status).toBe(200);
    await gateway.close();
  });

  it.each(['/ssh//', 'ssh', 'https://gate.example/ssh', '/a b', '/..', '/ssh?x', '/ssh#x'])(
    'of %s is refused',
    async (value) => {
      const started = startGateway({ env: { SERVICE_ROOT_PATH: value } });
      await expect(started).rejects.toThrow(/SERVICE_ROOT_PATH/);
    },
  );

  it('may be the root', async () => {
    const gateway = await startGateway({ env: { SERVICE_ROOT_PATH: '/' }, untouched: true });
    expect((await gateway.anonymous.call('GET', '/api/health')).status).toBe(200);
    expect((await gateway.anonymous.call('GET', '/openapi.json')).body['servers']).toEqual([{ url: '/' }]);
    await gateway.close();
  });

  it('may look like the paths below it', async () => {
    const gateway = await startGateway({ env: { SERVICE_ROOT_PATH: '/api' }, untouched: true });
    expect((await gateway.anonymous.call('GET', '/api/health')).status).toBe(200);
    expect((await gateway.anonymous.call('GET', '/api/servers')).status).toBe(401);
    expect((await gateway.anonymous.call('GET', '/servers')).status).toBe(404);
    await gateway.close();
  });
});
