import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseUnusable } from '#db/database-unusable.ts';
import type { Dialect, Store } from '#db/store.ts';
import { verifyAuditLog } from '#server/cli/audit-verify.ts';
import { parseConfig } from '#server/config/config.ts';
import {
  DIALECTS,
  freshDatabaseUrl,
  migratedDatabaseUrl,
  placeMigratedFile,
} from '../../support/databases/stores.ts';
import { auditRows } from '../../support/features/audit.ts';
import { runHere } from '../../support/gateway/command.ts';
import { ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { startHeldProxy } from '../../support/hosts/held-proxy.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort, type Peer, startSilentPeer } from '../../support/hosts/tcp.ts';

const START = new URL('../../../apps/server/start.mjs', import.meta.url).pathname;
const SECRET = 'a secret of the process tests';

let folder: string;
let running: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-process-'));
  running = [];
});
afterEach(async () => {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
});

async function endAll(): Promise<void> {
  for (const child of running.filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  )) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

interface Process {
  readonly child: ChildProcess;
  output(): string;
  readonly exit: Promise<number | null>;
}

function launch(args: string[], env: Record<string, string>): Process {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [START, ...args], {
    cwd: folder,
    env: {
      PATH,
      HOME,
      SERVICE_DATA_DIR: join(folder, 'data'),
      SERVICE_LOG_FORMAT: 'json',
      SERVICE_DRAIN_SECONDS: '0',
      ...env,
    },
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exit = once(child, 'close').then(([code]) => code);
  return { child, output: () => output, exit };
}

/** Starts a gateway on a free port and waits until it responds. */
async function serve(env: Record<string, string> = {}): Promise<Process & { url: string }> {
  const port = await freePort();
  const process = launch([], { SERVICE_PORT: String(port), SERVICE_SECRET_KEY: SECRET, ...env });
  await new Promise<void>((resolve, reject) => {
    process.child.stdout?.on('data', () => {
      if (process.output().includes('is listening on')) resolve();
    });
    process.child.once('exit', () => reject(new Error(process.output())));
  });
  return { ...process, url: `http://127.0.0.1:${port}` };
}

/** Starts a gateway in this process to run commands against, with three audit entries. */
async function gatewayOn(dialect: Dialect): Promise<{ url: string; gateway: TestGateway }> {
  const { url, cleanup } = await migratedDatabaseUrl(dialect);
  onTestFinished(cleanup);
  const gateway = await startGateway({ database_url: url, env: { SERVICE_SECRET_KEY: SECRET } });
  onTestFinished(gateway.close);
  return { url, gateway };
}

/** Leaves the list of tables as it is. */
async function damageUsers(path: string): Promise<void> {
  const database = new Database(path);
  const page = Number(
    database.prepare("select rootpage from sqlite_master where name = 'users'").pluck().get(),
  );
  const size = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(size, 0xee), 0, size, (page - 1) * size);
  await file.close();
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

async function refusal(env: Record<string, string>): Promise<Ended> {
  const started = launch([], env);
  return { code: await started.exit, output: started.output() };
}

/** Runs a command in this process: starting another process takes longer than most commands. */
async function command(args: string[], env: Record<string, string>): Promise<Ended> {
  const own = { SERVICE_DATA_DIR: join(folder, 'data'), SERVICE_LOG_FORMAT: 'json' };
  const { code, stdout, stderr } = await runHere(args, { ...own, ...env });
  return { code, output: stdout + stderr };
}

const MALFORMED: readonly [string, string][] = [
  ['SERVICE_PORT', '80a'],
  ['SERVICE_ROOT_PATH', 'ssh'],
  ['SERVICE_DB_URL', 'mysql://x'],
  ['SERVICE_VERIFY_HOST_KEYS', 'maybe'],
  ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/99'],
  ['SERVICE_ALLOWED_ORIGINS', 'a.example'],
  ['SERVICE_FRAME_ANCESTORS', 'ops.example'],
  ['SERVICE_DRAIN_SECONDS', '-1'],
  ['SERVICE_METRICS_TOKEN', 'too short'],
  ['SERVICE_LOG_LEVEL', 'loud'],
  ['SERVICE_LOG_FORMAT', 'xml'],
];

describe('Startup', () => {
  it.each([...MALFORMED, ['SERVICE_PORT', '70000']])('rejects a malformed %s (%s)', (name, value) => {
    expect(() => parseConfig({ SERVICE_SECRET_KEY: SECRET, [name]: value })).toThrow(`${name}: `);
  });

  it('exits with 1 and names every malformed variable', async () => {
    const { code, output } = await refusal({ SERVICE_SECRET_KEY: SECRET, ...Object.fromEntries(MALFORMED) });
    expect(code).toBe(1);
    for (const [name] of MALFORMED) expect(output).toContain(`${name}: `);
  });

  it.each([
    ['was cut short', (path: string) => truncate(path, 100_000), /cut short.*put back a complete copy/],
    ['is damaged where its users are', damageUsers, /malformed.*replaced.*put back a complete copy/],
    ['is no database', (path: string) => writeFile(path, 'x'.repeat(5000)), /not a database.*complete copy/],
    ['is a directory', (path: string) => rm(path).then(() => mkdir(path)), /must name a file/],
  ])('says in one line what to do with a database file that %s', async (_what, damage, advice) => {
    const path = join(folder, 'sallyport.db');
    await placeMigratedFile(path);
    await damage(path);
    const env = { SERVICE_DB_URL: path, SERVICE_SECRET_KEY: SECRET, SERVICE_PORT: String(await freePort()) };
    const { code, output } = await command([], env);
    const said = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect({ code, said }).toEqual({ code: 1, said: [expect.stringMatching(advice)] });
    expect(said[0]).toContain(`the database ${path}: `);
  });

  it('without a secret is refused unless on loopback, with the fix on stderr', async () => {
    const { code, output } = await refusal({ SERVICE_HOST: '0.0.0.0' });
    expect(code).toBe(1);
    expect(output).toMatch(/SERVICE_SECRET_KEY.*openssl rand/);
  });

  it('with a secret under 16 characters is refused, even on loopback', async () => {
    const { code, output } = await command([], { SERVICE_SECRET_KEY: 'fifteen letters' });
    expect(code).toBe(1);
    expect(output).toContain('SERVICE_SECRET_KEY');
  });

  it('without a secret on loopback warns and stores a random key with mode 0600', async () => {
    const first = await serve({ SERVICE_SECRET_KEY: '' });
    expect(first.output()).toContain('SERVICE_SECRET_KEY is not set');
    const path = join(folder, 'data/secret.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(first.output()).not.toContain(readFileSync(path, 'utf8').trim());
  });

  it('warns about an unknown SERVICE_ variable', async () => {
    expect((await serve({ SERVICE_PROT: '1' })).output()).toContain('SERVICE_PROT');
  });

  it('shows the initial password after a failed start, because nobody has seen it yet', async () => {
    const first = await serve();
    const port = new URL(first.url).port;
    const data = { SERVICE_DATA_DIR: join(folder, 'other'), SERVICE_SECRET_KEY: SECRET };
    const failed = launch([], { ...data, SERVICE_PORT: port });
    expect(await failed.exit).toBe(1);
    expect(failed.output()).not.toContain('password:');
    expect((await serve(data)).output()).toMatch(/password: \S+/);
  });

  it('shows a random administrator password once', async () => {
    const first = await serve();
    const password = /password:\s+(\S+)/.exec(first.output())?.[1] ?? '';
    const answer = await fetch(`${first.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    });
    expect(answer.status).toBe(200);
    first.child.kill('SIGTERM');
    await first.exit;
    expect((await serve()).output()).not.toMatch(/password:\s+\S/);
  });

  it.each(DIALECTS)('works when two instances start at once on an empty %s database', async (dialect) => {
    const { url, cleanup } = await freshDatabaseUrl(dialect);
    const both = await Promise.all([serve({ SERVICE_DB_URL: url }), serve({ SERVICE_DB_URL: url })]);
    for (const { url: base } of both) expect((await fetch(`${base}/api/health`)).status).toBe(200);
    expect(both.filter(({ output }) => /password:\s+\S/.test(output()))).toHaveLength(1);
    for (const { child, exit } of both) {
      child.kill('SIGTERM');
      await exit;
    }
    await cleanup();
  });
});

describe('A startup failure that an operator can fix', () => {
  it.each([
    [
      'a port that is taken',
      () => ({ SERVICE_PORT: String(taken.port) }),
      /^Cannot listen on 127\.0\.0\.1, port \d+: the port is already in use/m,
    ],
    [
      'an address of another machine',
      () => ({ SERVICE_HOST: '192.0.2.55' }),
      /^Cannot listen on 192\.0\.2\.55/m,
    ],
    [
      'a data directory below a file',
      () => ({ SERVICE_DATA_DIR: '/etc/hostname/x', SERVICE_SECRET_KEY: '' }),
      /^SERVICE_DATA_DIR: /m,
    ],
  ])('reports %s in one line', async (_what, env, line) => {
    const { code, output } = await refusal({ SERVICE_SECRET_KEY: SECRET, ...env() });
    expect(code).toBe(1);
    expect(output).toMatch(line);
    expect(output).not.toMatch(/^\s+at /m);
  });

  let taken: Peer;
  beforeAll(async () => {
    taken = await startSilentPeer();
  });
  afterAll(() => taken.stop());
});

describe('The command', () => {
  it('openapi prints the whole document into a pipe', async () => {
    const printed = launch(['openapi'], {});
    expect(await printed.exit).toBe(0);
    expect(JSON.parse(printed.output()).openapi).toBe('3.1.0');
  });

  it('config prints the effective settings with secrets masked', async () => {
    const { code, output } = await command(['config'], {
      SERVICE_SECRET_KEY: SECRET,
      SERVICE_DB_URL: 'postgres://gate:hunter2@db.example/sallyport',
      SERVICE_PORT: '9000',
    });
    expect(code).toBe(0);
    expect(output).toMatch(/^SERVICE_PORT=9000 +# environment$/m);
    expect(output).toMatch(/^SERVICE_HOST=127\.0\.0\.1 +# default$/m);
    expect(output).not.toMatch(/hunter2|a secret of/);
  });

  it('with an unknown name is refused with exit 2', async () => {
    const refused = launch(['serv'], {});
    expect(await refused.exit).toBe(2);
    expect(refused.output()).toContain('Unknown command: serv');
  });
});

describe('The command admin reset-password', () => {
  const reset = (args: string[] = [], env: Record<string, string> = {}) =>
    command(['admin', 'reset-password', ...args], { SERVICE_SECRET_KEY: SECRET, ...env });

  it.each(DIALECTS)(
    'restores access for a locked-out user while a gateway is running (%s)',
    async (dialect) => {
      const { url, gateway } = await gatewayOn(dialect);
      const { code, output } = await reset([], { SERVICE_DB_URL: url });
      const password = /New password for admin: (\S+)/.exec(output)?.[1] ?? '';
      expect([code, password.length > 10]).toEqual([0, true]);
      const login = (attempt: string) =>
        fetch(`${gateway.url}/api/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'admin', password: attempt }),
        });
      expect((await login(ADMIN_PASSWORD)).status).toBe(401);
      expect((await login(password)).status).toBe(200);
      const rows = await auditRows(gateway.store);
      expect(rows.map(({ action }) => action)).toContain('user_password_reset');
      expect(JSON.stringify(rows)).not.toContain(password);
      const verified = await command(['audit', 'verify'], {
        SERVICE_SECRET_KEY: SECRET,
        SERVICE_DB_URL: url,
      });
      expect(verified.code).toBe(0);
    },
  );

  it('refuses a key other than the audit log’s, changes nothing, and exits with 1', async () => {
    const { url, gateway } = await gatewayOn('sqlite');
    const other = { SERVICE_DB_URL: url, SERVICE_SECRET_KEY: 'the key of another gateway' };
    const { code, output } = await reset([], other);
    expect([code, output.split('\n')[0]]).toEqual([1, expect.stringContaining('SERVICE_SECRET_KEY')]);
    await gateway.signIn('admin', ADMIN_PASSWORD); // the password has not changed
    const verified = await command(['audit', 'verify'], { SERVICE_SECRET_KEY: SECRET, SERVICE_DB_URL: url });
    expect(verified.code).toBe(0);
  });

  it('refuses an unknown user, creates no database, and exits with 1', async () => {
    expect(await reset()).toMatchObject({ code: 1 });
    expect(existsSync(join(folder, 'data'))).toBe(false);
    const { url } = await gatewayOn('sqlite');
    const refused = await reset(['nobody'], { SERVICE_DB_URL: url });
    expect(refused).toEqual({ code: 1, output: 'There is no user nobody\n' });
  });
});

describe('The command audit verify', () => {
  const verify = (env: Record<string, string> = {}) =>
    command(['audit', 'verify'], { SERVICE_SECRET_KEY: SECRET, ...env });

  async function verifyInProcess(env: Record<string, string> = {}): Promise<Ended> {
    const checked = launch(['audit', 'verify'], { SERVICE_SECRET_KEY: SECRET, ...env });
    return { code: await checked.exit, output: checked.output() };
  }

  async function everything({ db, tables }: Store): Promise<string> {
    const rows = Object.values(tables).map((table) => db.select().from(table));
    return JSON.stringify(await Promise.all(rows));
  }

  it.each(DIALECTS)(
    'finds a %s log intact while a gateway is running, and changes nothing',
    async (dialect) => {
      const { url, gateway } = await gatewayOn(dialect);
      const before = await everything(gateway.store);
      const { code, output } = await verify({ SERVICE_DB_URL: url });
      expect([code, output]).toEqual([0, 'The audit log is intact: 3 entries\n']);
      expect(await everything(gateway.store)).toBe(before);
    },
  );

  it.each(DIALECTS)('reports where a %s log was changed in one line, and exits with 3', async (dialect) => {
    const { url, gateway } = await gatewayOn(dialect);
    const { db, tables } = gateway.store;
    const [first] = await auditRows(gateway.store);
    await db.update(tables.audit_entries).set({ detail: 'else' });
    const { code, output } = await verifyInProcess({ SERVICE_DB_URL: url });
    expect(code).toBe(3);
    expect(output).toMatch(/^The audit log is NOT intact .*\n$/);
    expect(output).toContain(`edited, first at entry ${first?.id}`);
  });

  it('continues the last verification of the gateway', async () => {
    const { url, gateway } = await gatewayOn('sqlite');
    await gateway.admin.call('GET', '/api/auth/audit/verify');
    const env = { SERVICE_SECRET_KEY: SECRET, SERVICE_DB_URL: url };
    const { code, output } = await command(['audit', 'verify', '--continue'], env);
    expect(code).toBe(0);
    expect(output).toMatch(
      /^The audit log is intact: 0 entries\. 3 more were verified from \S+ on and not read again\n$/,
    );
  });

  it('reports a log signed with another key, and exits with 3', async () => {
    const { url } = await gatewayOn('sqlite');
    const { code, output } = await verify({
      SERVICE_DB_URL: url,
      SERVICE_SECRET_KEY: 'not that of the gateway',
    });
    expect([code, output]).toEqual([3, expect.stringContaining('head_forged')]);
  });

  it.each([
    ['a path', () => join(folder, 'none.db')],
    ['a file: URL', () => `file://${join(folder, 'none.db')}`],
  ])('fails without a database at %s, and creates none', async (_what, url) => {
    const config = parseConfig({ SERVICE_DB_URL: url(), SERVICE_SECRET_KEY: SECRET });
    await expect(verifyAuditLog(config)).rejects.toThrow(DatabaseUnusable);
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
  });

  it('reports a missing database at a relative file: URL, exits with 1, and creates none', async () => {
    const { code, output } = await verifyInProcess({ SERVICE_DB_URL: 'file:none.db' });
    expect(code).toBe(1);
    expect(output).toMatch(/^[^\n]*database[^\n]*\n$/);
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
  });

  it('reports an unreachable database server, and exits with 1', async () => {
    const url = `postgres://gate:hunter2@127.0.0.1:${await freePort()}/none`;
    const { code, output } = await verify({ SERVICE_DB_URL: url });
    expect(code).toBe(1);
    expect(output).toMatch(/^[^\n]+\n$/);
    expect(output).not.toContain('hunter2');
  });

  it.each(DIALECTS)('reports a %s database without an audit log, and exits with 1', async (dialect) => {
    const { url, cleanup } = await freshDatabaseUrl(dialect);
    if (dialect === 'sqlite') await writeFile(url, '');
    const { code, output } = await verify({ SERVICE_DB_URL: url });
    expect(code).toBe(1);
    expect(output).toMatch(/^[^\n]*no audit log[^\n]*\n$/);
    await cleanup();
  });

  it('reports a missing key, exits with 1, and creates none', async () => {
    const { url } = await gatewayOn('sqlite');
    await mkdir(join(folder, 'elsewhere'));
    const elsewhere = { SERVICE_DATA_DIR: join(folder, 'elsewhere'), SERVICE_SECRET_KEY: '' };
    const { code, output } = await verify({ SERVICE_DB_URL: url, ...elsewhere });
    expect(code).toBe(1);
    expect(output).toMatch(/^[^\n]*SERVICE_SECRET_KEY[^\n]*\n$/);
    expect(existsSync(join(folder, 'elsewhere/secret.key'))).toBe(false);
  });
});

describe('Shutdown', () => {
  let sshd: Sshd;
  beforeEach(async () => {
    sshd = await startSshd();
  });
  afterEach(() => sshd.stop());

  it('on SIGTERM closes terminals with 1012 and exits with 0', async () => {
    const gateway = await serve({ SERVICE_ADMIN_PASSWORD: 'first-password-1' });
    const token = await adminToken(gateway.url);
    const created = await post(gateway.url, '/api/servers', token, {
      name: 'box',
      hostname: '127.0.0.1',
      port: sshd.port,
      username: sshd.username,
      password: sshd.password,
    });
    const { id } = await created.json();
    const client = openTerminal(`${gateway.url}/api/ws/terminal/${id}?cols=80&rows=24&token=${token}`);
    await client.frame('session');
    gateway.child.kill('SIGTERM');
    expect((await client.closed()).code).toBe(1012);
    expect(await gateway.exit).toBe(0);
    expect(gateway.output()).not.toContain(token);
  });
});

describe('Shutdown while hosts do not respond', () => {
  const WAITING = { SERVICE_SSH_CONNECT_TIMEOUT: '600', SERVICE_MONITOR_TIMEOUT: '600' };
  const GRACE_MS = 30_000; // for transfers

  it('aborts tests, checks and event streams, and releases the lease', async () => {
    const host = await startHeldProxy(await freePort());
    const gateway = await serve({ SERVICE_ADMIN_PASSWORD: 'first-password-1', ...WAITING });
    const token = await adminToken(gateway.url);
    const events = await openStream(gateway.url, '/api/servers/events', token);
    const fields = {
      name: 'silent',
      hostname: '127.0.0.1',
      port: host.port,
      username: 'any',
      password: 'any',
    };
    const { id } = await (await post(gateway.url, '/api/servers', token, fields)).json();
    await host.connected(1); // the monitor
    const path = `/api/servers/${id}/test`;
    const testing = post(gateway.url, path, token, {});
    const stream = await openStream(gateway.url, path, token, 'POST');
    await host.connected(3);
    const stopped_ms = performance.now();
    gateway.child.kill('SIGTERM');
    const given_up = { success: false, message: 'The gateway is shutting down' };
    expect(await (await testing).json()).toMatchObject(given_up);
    expect(await stream.text()).toContain(JSON.stringify(given_up).slice(1, -1));
    await events.text(); // the stream ends
    expect(await gateway.exit).toBe(0);
    expect(performance.now() - stopped_ms).toBeLessThan(GRACE_MS);
    const next = await serve();
    expect(await (await fetch(`${next.url}/api/health`)).json()).toMatchObject({ monitor_role: 'leader' });
    await host.stop();
  });
});

const DOWNLOAD_BYTES = 24 * 1024 * 1024; // more than sockets hold

describe('Shutdown during a download', () => {
  it('lets the transfer finish', async () => {
    const sshd = await startSshd();
    const path = join(sshd.folder, 'large.bin');
    await writeFile(path, '');
    await truncate(path, DOWNLOAD_BYTES);
    const gateway = await serve({ SERVICE_ADMIN_PASSWORD: 'first-password-1' });
    const token = await adminToken(gateway.url);
    const { port, username, password } = sshd;
    const host = { name: 'box', hostname: '127.0.0.1', port, username, password };
    const { id } = await (await post(gateway.url, '/api/servers', token, host)).json();
    const download = await fetch(`${gateway.url}/api/files/${id}/download?path=${path}&token=${token}`);
    gateway.child.kill('SIGTERM');
    expect((await download.arrayBuffer()).byteLength).toBe(DOWNLOAD_BYTES);
    expect(await gateway.exit).toBe(0);
    await sshd.stop();
  });
});

async function adminToken(url: string): Promise<string> {
  const login = await post(url, '/api/auth/login', '', { username: 'admin', password: 'first-password-1' });
  const { access_token } = await login.json();
  await post(url, '/api/auth/change-password', access_token, { new_password: 'second-password-2' });
  return access_token;
}

function openStream(url: string, path: string, token: string, method = 'GET'): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  return fetch(`${url}${path}`, { method, headers });
}

function post(url: string, path: string, token: string, body: unknown): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
}
