import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import type { Dialect } from '#db/store.ts';
import { DIALECTS, type FreshDatabase, freshDatabaseUrl } from '../../support/databases/stores.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  describeEachGateway,
  FIRST_PASSWORD,
  freshAddress,
  logIn,
  startGateway,
  type TestGateway,
} from '../../support/gateway/gateway.ts';
import { OPERATIONS, pathOf } from '../../support/gateway/operations.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const DEMO = { SERVICE_DEMO_MODE: 'true' };
const REFUSED = { detail: 'Demo mode: write operations are disabled', code: 'demo_mode' };
const ALLOWED = [
  'DELETE /api/terminal/share/{session_id}',
  'POST /api/auth/login',
  'POST /api/auth/totp/verify',
  'POST /api/terminal/share/{session_id}',
];
const ALLOWED_PATHS = OPERATIONS.filter((operation) =>
  ALLOWED.includes(`${operation.method} ${operation.path}`),
).map((operation) => `${operation.method} ${pathOf(operation)}`);
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];
const PATHS = [...new Set(OPERATIONS.map((operation) => pathOf(operation)))].filter((path) =>
  path.startsWith('/api/'),
);

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** The path exactly as written: `fetch` would normalize it. */
function sendRaw(url: string, method: string, path: string, headers: Record<string, string> = {}) {
  const { port } = new URL(url);
  return new Promise<{ status: number; code: string }>((resolve, reject) => {
    const body = method === 'GET' ? '' : JSON.stringify({ username: 'demo', password: 'demo' });
    const all = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-forwarded-for': freshAddress(),
      ...headers,
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers: all }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const code = text.startsWith('{') ? String(JSON.parse(text).code) : '';
      resolve({ status: response.statusCode ?? 0, code });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

describe.each(['', '/ssh'])('The gate of a demo under "%s"', (root_path) => {
  let gateway: TestGateway;
  let demo: Actor;

  beforeAll(async () => {
    gateway = await startGateway({ env: { ...DEMO, SERVICE_ROOT_PATH: root_path }, untouched: true });
    demo = await gateway.signIn('demo', 'demo');
  });
  afterAll(() => gateway?.close());

  it('allows exactly the allowlist, of all operations', async () => {
    const passed = [];
    for (const operation of OPERATIONS.filter(({ method }) => WRITES.includes(method))) {
      const { status, body } = await demo.call(operation.method, pathOf(operation), {});
      if (body['code'] !== 'demo_mode') passed.push(nameOf(operation));
      else expect({ status, body }).toEqual({ status: 403, body: REFUSED });
    }
    expect(passed.sort()).toEqual(ALLOWED);
  });

  it('refuses every write to every path, for everybody', async () => {
    for (const path of [...PATHS, '/api/', '/api/no/such/thing']) {
      for (const method of WRITES.filter((one) => !ALLOWED_PATHS.includes(`${one} ${path}`))) {
        for (const actor of [demo, gateway.anonymous]) {
          const { status, body } = await actor.call(method, path, {});
          expect({ method, path, status, body }).toEqual({ method, path, status: 403, body: REFUSED });
        }
      }
    }
  });

  it('applies before any credential is checked', async () => {
    const { status, body } = await gateway.actor('garbage').call('POST', '/api/servers', {});
    expect({ status, body }).toEqual({ status: 403, body: REFUSED });
  });

  it('does not affect GET and HEAD', async () => {
    for (const path of ['/api/servers', '/api/auth/me', '/api/servers/groups', '/api/health']) {
      expect((await demo.call('GET', path)).status).toBe(200);
      expect((await demo.fetch(path, { method: 'HEAD' })).status).toBe(200);
    }
    expect((await demo.call('GET', '/api/no/such/thing')).status).toBe(404);
  });

  it.each([
    '/api/auth/login/',
    '/api//auth/login',
    '//api/auth/login',
    '/api/auth//login',
    '/api/auth/%6cogin',
    '/api/auth%2flogin',
    '/api/auth/login%00',
    '/api/auth/login%20',
    '/api/auth/login;x=1',
    '/api/auth/LOGIN',
    '/API/auth/login',
    '/api/auth/login.json',
    '/api/auth/totp/verify/',
    '/api/auth/totp/Verify',
  ])('is not bypassed by POST %s', async (path) => {
    const { status, code } = await sendRaw(gateway.url, 'POST', root_path + path);
    expect(['403 demo_mode', '404 route_not_found', '404 ']).toContain(`${status} ${code}`);
  });

  it.each([
    '/api/auth/login/../../servers',
    '/api/auth/login/%2e%2e/%2e%2e/servers',
    '/api/auth/login?/../servers',
  ])('is not bypassed through an allowed path: %s', async (path) => {
    const before = await serversOf(demo);
    for (const method of WRITES) {
      const answer = await sendRaw(gateway.url, method, root_path + path, bearer(demo));
      expect([200, 401, 403, 404]).toContain(answer.status);
    }
    expect(await serversOf(demo)).toEqual(before);
  });

  it.each(['x-http-method-override', 'x-http-method', 'x-method-override'])('has no %s', async (name) => {
    const as = (method: string) => ({ ...bearer(demo), [name]: method });
    const posted = await sendRaw(gateway.url, 'POST', `${root_path}/api/servers`, as('GET'));
    expect(posted).toEqual({ status: 403, code: 'demo_mode' });
    const got = await sendRaw(gateway.url, 'GET', `${root_path}/api/servers?_method=DELETE`, as('DELETE'));
    expect(got.status).toBe(200);
    expect(await serversOf(demo)).toHaveLength(3);
  });

  it('closes the quick-connect socket with 4003', async () => {
    for (const headers of [bearer(demo), {}]) {
      const client = openTerminal(`${gateway.url}/api/ws/terminal/quick`, { headers });
      expect(await client.frame('error')).toMatchObject({ code: 'demo_mode' });
      expect((await client.closed()).code).toBe(4003);
    }
  });

  it('is reported to the sign-in page', async () => {
    const { body } = await gateway.anonymous.call('GET', '/api/config');
    const demo_credentials = { username: 'demo', password: 'demo' };
    expect(body).toEqual({ demo_mode: true, demo_credentials });
  });
});

const bearer = ({ token }: Actor) => ({ authorization: `Bearer ${token}` });
const serversOf = async (actor: Actor) => (await actor.call<Server[]>('GET', '/api/servers')).body;

describeEachGateway('Without demo mode', (gateway) => {
  it('there is no demo user', async () => {
    expect((await gateway().anonymous.call('GET', '/api/config')).body).toEqual({ demo_mode: false });
    expect((await logIn(gateway().anonymous, 'demo', 'demo')).status).toBe(401);
    expect(await serversOf(gateway().admin)).toEqual([]);
  });
});

describeEachGateway(
  'The demo user',
  (gateway) => {
    let demo: Actor;
    beforeAll(async () => {
      demo = await gateway().signIn('demo', 'demo');
    });

    it('is not an administrator, and sees the servers of the group', async () => {
      const me = await demo.call('GET', '/api/auth/me');
      expect(me.body).toMatchObject({ username: 'demo', is_admin: false, must_change_password: false });
      const servers = await serversOf(demo);
      expect(new Set(servers.map(({ group }) => [group]).map(String))).toEqual(
        new Set([String(me.body['allowed_groups'])]),
      );
      expect((await demo.call('GET', '/api/auth/users')).body['code']).toBe('admin_only');
      expect((await demo.call('GET', '/api/auth/audit')).body['code']).toBe('admin_only');
    });

    it('finds a sample server, and two more, one behind the other', async () => {
      const servers = await serversOf(demo);
      expect(servers).toHaveLength(3);
      const jumping = servers.filter(({ jump_via_id }) => jump_via_id !== null);
      expect(jumping).toHaveLength(1);
      expect(servers.map(({ id }) => id)).toContain(jumping[0]?.jump_via_id);
      for (const server of servers)
        expect(server).toMatchObject({ has_password: true, sftp_read_only: true });
    });

    it.each([
      ['POST', '/api/auth/change-password', { new_password: 'taken-over-1', current_password: 'demo' }],
      ['POST', '/api/auth/totp/setup', undefined],
      ['POST', '/api/auth/api-keys', { name: 'mine' }],
      ['POST', '/api/auth/ws-ticket', undefined],
      ['POST', '/api/auth/logout', undefined],
      ['DELETE', '/api/auth/sessions', undefined],
      ['POST', '/api/servers/1/test', undefined],
      ['POST', '/api/files/1/ticket', { path: '/' }],
    ])('cannot %s %s', async (method, path, body) => {
      const refused = await demo.call(method, path, body);
      expect({ status: refused.status, body: refused.body }).toEqual({ status: 403, body: REFUSED });
    });

    it('cannot switch two-factor on for the next visitor', async () => {
      const { status } = await demo.call('POST', '/api/auth/totp/verify', { code: '123456' });
      expect(status).toBe(409);
      expect((await logIn(gateway().anonymous, 'demo', 'demo')).body.requires_2fa).toBe(false);
    });

    it('leaves nothing to change, even for an administrator', async () => {
      const admin = await gateway().signIn('admin', FIRST_PASSWORD);
      const { body } = await admin.call('POST', '/api/auth/change-password', {
        new_password: ADMIN_PASSWORD,
      });
      expect(body['code']).toBe('demo_mode');
    });
  },
  { env: DEMO, untouched: true },
);

describe.each(DIALECTS)('The demo data (%s)', (dialect: Dialect) => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabaseUrl(dialect);
  });
  afterAll(() => database?.cleanup());

  const start = (env: Record<string, string> = DEMO) =>
    startGateway({ database_url: database.url, env, untouched: true });

  async function stateOf({ store: { db, tables } }: TestGateway) {
    const users = await db.select().from(tables.users).where(eq(tables.users.username, 'demo'));
    const servers = await db.select().from(tables.servers).orderBy(tables.servers.id);
    return { users, servers };
  }

  /** Started long ago, so that no other start counts it as in progress. */
  async function age({ store: { db, tables } }: TestGateway): Promise<void> {
    await db.update(tables.users).set({ created_at: '2020-01-01T00:00:00.000Z' });
  }

  it('are created once by two instances that start at once', async () => {
    const both = await Promise.all([start(), start()]);
    const { users, servers } = await stateOf(both[0]);
    expect(users).toHaveLength(1);
    expect(servers.map(({ name }) => name)).toEqual([
      'Sample server',
      'Sample bastion',
      'Sample inner server',
    ]);
    await Promise.all(both.map((gateway) => gateway.close()));
  });

  it('survive restarts unchanged', async () => {
    const first = await start();
    await age(first);
    const before = await stateOf(first);
    await first.close();
    for (let round = 0; round < 2; round += 1) {
      const again = await start();
      expect(await stateOf(again)).toEqual(before);
      await again.close();
    }
  });

  it('keep what was edited with the mode off', async () => {
    const plain = await start({});
    const admin = await plain.signIn('admin', FIRST_PASSWORD);
    await admin.call('POST', '/api/auth/change-password', { new_password: ADMIN_PASSWORD });
    const [sample, bastion, inner] = await serversOf(admin);
    const { users } = await stateOf(plain);
    const patch = { name: 'Our own', hostname: 'own.example', password: 'changed' };
    expect((await admin.call('DELETE', `/api/servers/${inner?.id}`)).status).toBe(204);
    expect((await admin.call('PUT', `/api/servers/${sample?.id}`, patch)).status).toBe(200);
    expect((await admin.call('PUT', `/api/servers/${bastion?.id}`, { tags: [] })).status).toBe(200);
    const user = `/api/auth/users/${users[0]?.id}`;
    await admin.call('PUT', `${user}/groups`, { allowed_groups: ['demo', 'more'] });
    await admin.call('PUT', `${user}/password`, { password: 'not-demo-any-more' });
    const before = await stateOf(plain);
    await plain.close();
    const again = await start();
    expect(await stateOf(again)).toEqual(before);
    expect((await logIn(again.anonymous, 'demo', 'demo')).status).toBe(401);
    await again.signIn('demo', 'not-demo-any-more');
    await again.close();
  });
});

describe.each(DIALECTS)('A demo with a real host (%s)', (dialect: Dialect) => {
  let database: FreshDatabase;
  let sshd: Sshd;
  let gateway: TestGateway;
  let demo: Actor;
  let server_id: number;

  beforeAll(async () => {
    sshd = await startSshd();
    await writeFile(join(sshd.folder, 'welcome.txt'), 'look around\n');
    database = await freshDatabaseUrl(dialect);
    const plain = await startGateway({ database_url: database.url });
    const { port, username, password } = sshd;
    server_id = (await plain.addServer({ name: 'Prepared', port, username, password, group: 'demo' })).id;
    await plain.close();
    gateway = await startGateway({ database_url: database.url, env: DEMO, untouched: true });
    demo = await gateway.signIn('demo', 'demo');
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
    await sshd?.stop();
  });

  it('shows what was prepared instead of samples', async () => {
    expect((await serversOf(demo)).map(({ name }) => name)).toEqual(['Prepared']);
  });

  it('shows no visitor the addresses of others', async () => {
    await gateway.signIn('demo', 'demo');
    const { body } = await demo.call<{ current: boolean }[]>('GET', '/api/auth/sessions');
    expect(body).toMatchObject([{ current: true }]);
  });

  it('lets nobody lock the shared account', async () => {
    for (let count = 0; count < 12; count += 1) await logIn(gateway.anonymous, 'demo', 'wrong');
    expect((await logIn(gateway.anonymous, 'demo', 'demo')).status).toBe(200);
  });

  it('opens a terminal by ?token=', async () => {
    const url = `${gateway.url}/api/ws/terminal/${server_id}?cols=80&rows=24&token=${demo.token}`;
    const client = openTerminal(url);
    await client.frame('session');
    client.type('echo $((6 * 7))-shown; exit\n');
    await client.sees('42-shown');
    expect((await client.closed()).code).toBe(1000);
  });

  it('downloads by ?token=', async () => {
    const path = encodeURIComponent(join(sshd.folder, 'welcome.txt'));
    const asked = `/api/files/${server_id}/download?path=${path}`;
    const response = await gateway.anonymous.fetch(`${asked}&token=${demo.token}`);
    expect([response.status, await response.text()]).toEqual([200, 'look around\n']);
    expect((await gateway.anonymous.fetch(`${asked}&token=garbage`)).status).toBe(401);
  });

  it('lists, describes and reads files', async () => {
    const at = (verb: string, path: string) =>
      demo.call('GET', `/api/files/${server_id}/${verb}?path=${encodeURIComponent(path)}`);
    expect((await at('ls', sshd.folder)).status).toBe(200);
    expect((await at('stat', join(sshd.folder, 'welcome.txt'))).status).toBe(200);
    expect((await at('read', join(sshd.folder, 'welcome.txt'))).body['content']).toBe('look around\n');
  });
});
