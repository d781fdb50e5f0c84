import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelServer } from '../../support/agent/model-server.ts';
import { answer, asked } from '../../support/features/prompts.ts';
import { codeAt } from '../../support/features/totp.ts';
import {
  callerOf,
  firstToken,
  type RunningGateway,
  runGateway,
} from '../../support/gateway/running-gateway.ts';
import { connectedTerminal, openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort, type Peer, startSilentPeer } from '../../support/hosts/tcp.ts';

const FIRST = 'planted-first-password-1';
const OWN = 'planted-own-password-2';

/** Secrets in the environment. */
const ENVIRONMENT = {
  SERVICE_SECRET_KEY: 'planted secret key, long enough',
  SERVICE_SECRET_KEY_PREVIOUS: 'planted previous secret key, long enough',
  SERVICE_METRICS_TOKEN: 'planted-metrics-token',
  SERVICE_LDAP_BIND_PASSWORD: 'planted-bind-password',
  SERVICE_ADMIN_PASSWORD: FIRST,
  SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true', // its model is on this machine
};

/** Secrets that people send. */
const SAID = {
  own: OWN,
  wrong: 'planted-wrong-password-3',
  server: 'planted-server-password-4',
  unreadable_key: 'cGxhbnRlZC1wcml2YXRlLWtleS1vZi1hLXRlc3Q',
  passphrase: 'planted-passphrase-5',
  webhook: 'planted-webhook-secret-6',
  backup: 'planted-backup-passphrase-7',
  quick: 'planted-quick-password-8',
  answered: 'planted-answer-9',
  directory: 'planted-directory-password-10',
  joined: 'planted-share-token-11',
  agent: 'planted-agent-key-12',
};

interface Scene {
  readonly gateway: RunningGateway;
  readonly metrics: string;
  /** Values that must appear nowhere. */
  readonly secrets: Record<string, string>;
}

/** Uses each secret once where it works, and once where it fails. */
class Culprit {
  readonly #gateway: RunningGateway;
  readonly #ask: ReturnType<typeof callerOf>;
  readonly #token: string;
  readonly #sshd: Sshd;

  constructor(gateway: RunningGateway, token: string, sshd: Sshd) {
    this.#gateway = gateway;
    this.#token = token;
    this.#sshd = sshd;
    this.#ask = callerOf(gateway.url, token);
  }

  async #json(method: string, path: string, body?: unknown) {
    return (await this.#ask(method, path, body)).json();
  }

  async signsIn(): Promise<void> {
    const anonymous = callerOf(this.#gateway.url);
    const login = (username: string, password: string) =>
      anonymous('POST', '/api/auth/login', { username, password });
    await login('admin', SAID.wrong);
    await login('somebody of the directory', SAID.directory); // It is unreachable.
    await anonymous('POST', '/api/auth/login', `{"username":"admin","password":"${SAID.wrong}",`);
    await anonymous('POST', '/api/auth/login', { username: 'admin', passwrod: SAID.wrong });
    await this.#ask('POST', '/api/auth/users', { username: 'x', password: SAID.wrong, is_admin: 'yes' });
  }

  async keepsServers(silent: Peer): Promise<void> {
    const fields = {
      hostname: '127.0.0.1',
      port: this.#sshd.port,
      username: 'nobody',
      password: SAID.server,
    };
    const { id } = await this.#json('POST', '/api/servers', { name: 'box', ...fields });
    await this.#ask('POST', `/api/servers/${id}/test`);
    await this.#ask('GET', `/api/files/${id}/ls?path=/&token=${this.#token}`);
    const private_key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${SAID.unreadable_key}\n-----END OPENSSH PRIVATE KEY-----`;
    await this.#ask('POST', '/api/servers', {
      name: 'keyed',
      ...fields,
      private_key,
      passphrase: SAID.passphrase,
    });
    const { username, encrypted_private_key, passphrase } = this.#sshd;
    const signing = {
      username,
      auth_method: 'key',
      password: '',
      private_key: encrypted_private_key,
      passphrase,
    };
    const { id: keyed } = await this.#json('POST', '/api/servers', { name: 'signs', ...fields, ...signing });
    expect((await this.#ask('GET', `/api/files/${keyed}/ls?path=/`)).status).toBe(200);
    await this.#ask('POST', '/api/servers', {
      name: 'wrong',
      ...fields,
      ...signing,
      passphrase: SAID.passphrase,
    });
    await this.#ask('POST', '/api/servers', { name: 'silent', ...fields, port: silent.port });
    await this.#ask('POST', `/api/files/${id}/connect`, { username: 'nobody', password: SAID.wrong });
  }

  async opensTerminals(): Promise<string> {
    const { ticket } = await this.#json('POST', '/api/auth/ws-ticket', {});
    const url = `${this.#gateway.url}/api/ws/terminal`;
    await openTerminal(`${url}/1?cols=80&rows=24&ticket=${ticket}`).closed();
    await openTerminal(`${url}/1?cols=80&rows=24&ticket=${ticket}`).closed(); // Used up.
    const quick = await connectedTerminal(`${url}/quick?token=${this.#token}`);
    const target = { host: '127.0.0.1', port: this.#sshd.port, username: 'nobody', password: SAID.quick };
    quick.send({ type: 'open', cols: 80, rows: 24, ...target });
    await quick.closed();
    return ticket;
  }

  async answersQuestions(): Promise<void> {
    const prompted = { name: 'asks', hostname: '127.0.0.1', port: this.#sshd.port, auth_method: 'prompt' };
    const { id } = await this.#json('POST', '/api/servers', {
      ...prompted,
      username: 'nobody',
      password: '',
    });
    const terminal = openTerminal(
      `${this.#gateway.url}/api/ws/terminal/${id}?cols=80&rows=24&token=${this.#token}`,
    );
    await asked(terminal);
    answer(terminal, 'nobody', SAID.answered);
    await asked(terminal, 2).catch(() => undefined); // Or it gives up.
    terminal.close();
  }

  /** A real share, and a token in every place where a link may put one. */
  async shares(): Promise<string> {
    const { id } = await this.#json('POST', '/api/servers', {
      name: 'shared',
      hostname: '127.0.0.1',
      port: this.#sshd.port,
      username: this.#sshd.username,
      password: this.#sshd.password,
    });
    const sockets = `${this.#gateway.url}/api/ws/terminal`;
    const owner = openTerminal(`${sockets}/${id}?cols=80&rows=24&token=${this.#token}`);
    const { session_id } = await owner.frame('session');
    const { token } = await this.#json('POST', `/api/terminal/share/${session_id}`, {});
    const guest = openTerminal(`${sockets}/join/${token}?token=${this.#token}`);
    await guest.frame('joined');
    guest.close();
    owner.close();
    const planted = SAID.joined;
    await openTerminal(`${sockets}/join/${planted}?token=${this.#token}`).closed();
    await openTerminal(`${sockets}/joins/${planted}`).closed();
    for (const path of [
      `/api/ws/terminal/join/${planted}`,
      `/api/ws/terminal/join/${planted}?%ff`,
      `/api/ws/terminal/joins/${planted}`,
      `/api/terminal/join/${planted}`,
      `/api/terminal/share/${planted}`,
      `/api/files/${planted}/ls`,
      `/join/${planted}`,
      `/assets/${planted}`,
      `/${planted}`,
    ]) {
      for (const method of ['GET', 'DELETE', 'OPTIONS']) {
        const headers = {
          Referer: `${this.#gateway.url}/join/${planted}`,
          Origin: `https://${planted}.example`,
        };
        await fetch(this.#gateway.url + path, { method, headers });
        await this.#ask(method, path);
      }
    }
    return token;
  }

  async readsMetrics(): Promise<string> {
    return (await callerOf(this.#gateway.url, ENVIRONMENT.SERVICE_METRICS_TOKEN)('GET', '/metrics')).text();
  }

  async runsTheGateway(): Promise<void> {
    const hook = { name: 'hook', url: 'https://127.0.0.1:1/planted-path', secret: SAID.webhook };
    await this.#ask('POST', '/api/webhooks', hook);
    await this.#ask('POST', '/api/webhooks', { ...hook, url: 'https://hooks.invalid/x' });
    await this.#ask('POST', '/api/webhooks/1/test', {});
    const bundle = await this.#json('POST', '/api/backup/export', { passphrase: SAID.backup });
    await this.#ask('POST', '/api/backup/restore', { bundle, passphrase: `${SAID.backup}x`, mode: 'merge' });
    await callerOf(this.#gateway.url, ENVIRONMENT.SERVICE_METRICS_TOKEN)('GET', '/metrics');
    await callerOf(this.#gateway.url)('GET', `/metrics?token=${ENVIRONMENT.SERVICE_METRICS_TOKEN}`);
  }

  /** A provider that echoes its key, and settings that are refused. */
  async triesTheAgent(): Promise<void> {
    const models = await startModelServer();
    const echo = { status: 401, body: JSON.stringify({ error: { message: `Wrong key ${SAID.agent}` } }) };
    models.lists(echo);
    models.always(echo);
    const local = {
      provider: 'openai_compatible',
      base_url: models.url,
      model: 'm',
      allow_private_address: true,
    };
    const settings = { ...local, api_key: SAID.agent };
    expect((await this.#ask('PUT', '/api/agent/settings', settings)).status).toBe(200);
    const { detail } = await this.#json('POST', '/api/agent/settings/test', local);
    expect(detail).toContain('Wrong key [hidden]');
    await this.#ask('PUT', '/api/agent/settings', { ...settings, provider: 'x' });
    await this.#ask('PUT', '/api/agent/settings', { ...settings, api_kye: SAID.agent });
    await models.stop();
  }

  /** A second factor, its recovery codes and a key. */
  async provesItself(): Promise<Record<string, string>> {
    const { key } = await this.#json('POST', '/api/auth/api-keys', { name: 'a key' });
    await callerOf(this.#gateway.url, key)('GET', '/api/servers');
    await callerOf(this.#gateway.url, `${key}x`)('GET', '/api/servers');
    await callerOf(this.#gateway.url)('GET', `/api/servers/events?token=${this.#token}x`);
    const { secret, uri = secret } = await this.#json('POST', '/api/auth/totp/setup');
    const { recovery_codes } = await this.#json('POST', '/api/auth/totp/verify', { code: codeAt(secret) });
    const [recovery_code] = recovery_codes;
    const login = { username: 'admin', password: OWN, totp_code: recovery_code };
    await callerOf(this.#gateway.url)('POST', '/api/auth/login', login);
    await callerOf(this.#gateway.url)('POST', '/api/auth/login', { ...login, totp_code: recovery_code }); // Used up.
    return { key, totp_secret: secret, totp_uri: uri, recovery_code };
  }

  /** The writer gets the secret, and fails unexpectedly. */
  async breaksTheDatabase(): Promise<void> {
    const database = new Database(join(this.#gateway.folder, 'data/sallyport.db'));
    database.exec('alter table servers rename to servers_gone; alter table webhooks rename to webhooks_gone');
    const fields = { name: 'late', hostname: '127.0.0.1', username: 'x', password: SAID.server };
    const { status } = await this.#ask('POST', '/api/servers', fields);
    expect(status).toBe(500);
    await this.#ask('POST', '/api/webhooks', {
      name: 'late',
      url: 'https://a.example/',
      secret: SAID.webhook,
    });
    database.exec('alter table servers_gone rename to servers; alter table webhooks_gone rename to webhooks');
    database.close();
  }
}

async function play(format: 'json' | 'pretty', sshd: Sshd, silent: Peer): Promise<Scene> {
  const gateway = await runGateway({
    ...ENVIRONMENT,
    SERVICE_LOG_FORMAT: format,
    SERVICE_LOG_LEVEL: 'debug',
    SERVICE_DRAIN_SECONDS: '0',
    SERVICE_RECORD_SESSIONS: 'true',
    SERVICE_SSH_CONNECT_TIMEOUT: '10',
    SERVICE_MONITOR_TIMEOUT: '1',
    SERVICE_LDAP_ENABLED: 'true',
    SERVICE_LDAP_URL: `ldap://127.0.0.1:${await freePort()}`,
    SERVICE_LDAP_BIND_DN: 'cn=gateway',
    SERVICE_LDAP_USER_BASE: 'ou=people',
  });
  const token = await firstToken(gateway.url, FIRST, OWN);
  const culprit = new Culprit(gateway, token, sshd);
  await culprit.signsIn();
  await culprit.keepsServers(silent);
  const ticket = await culprit.opensTerminals();
  await culprit.answersQuestions();
  const share_token = await culprit.shares();
  await culprit.runsTheGateway();
  await culprit.triesTheAgent();
  const proofs = await culprit.provesItself();
  await culprit.breaksTheDatabase();
  const metrics = await culprit.readsMetrics();
  gateway.child.kill('SIGTERM');
  await gateway.exit;
  const key = {
    private_key: sshd.encrypted_private_key.split('\n')[3] ?? '',
    key_passphrase: sshd.passphrase,
  };
  const minted = { token, ticket, share_token, ...proofs };
  return { gateway, metrics, secrets: { ...ENVIRONMENT, ...SAID, ...key, ...minted } };
}

/** Every file below a folder, including the bytes of the database. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

describe.each(['json', 'pretty'] as const)('The output of a gateway whose log is %s', (format) => {
  let sshd: Sshd;
  let silent: Peer;
  let scene: Scene;
  beforeAll(async () => {
    sshd = await startSshd();
    silent = await startSilentPeer();
    scene = await play(format, sshd, silent);
  });
  afterAll(async () => {
    await scene?.gateway.remove();
    await silent?.stop();
    await sshd?.stop();
  });
  const found = (text: string) =>
    Object.entries(scene.secrets).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

  it('contains no secret, whatever fails', () => {
    const output = scene.gateway.output();
    expect(output).toContain('A request failed'); // It was made to fail.
    expect(output.length).toBeGreaterThan(5000);
    expect(found(output)).toEqual([]);
  });

  it('names the route of a request, not its path', () => {
    const output = scene.gateway.output();
    for (const route of ['/api/ws/terminal/join/{token}', 'unmatched', 'page'])
      expect(output).toContain(route);
  });

  it('has metrics without a secret', () => {
    expect(scene.metrics).toContain('sallyport_');
    expect(found(scene.metrics)).toEqual([]);
  });

  it('leaves no readable secret on disk', () => {
    const files = filesBelow(scene.gateway.folder);
    expect(files.some((path) => path.endsWith('sallyport.db'))).toBe(true);
    const leaks = files.flatMap((path) => found(readFileSync(path, 'latin1')).map((name) => [path, name]));
    expect(leaks).toEqual([]);
  });

  it.runIf(format === 'json')('names the request in each line about one', () => {
    const lines = scene.gateway
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const about = lines.filter(({ msg }) => ['request', 'A request failed', 'terminal failed'].includes(msg));
    const inside = lines.filter(({ msg }) => /^The directory cannot be asked/.test(msg));
    expect(inside.length).toBeGreaterThan(0);
    for (const line of [...about, ...inside]) expect(line).toMatchObject({ request_id: expect.any(String) });
  });
});

it('A gateway that cannot reach its database does not log the password', async () => {
  const url = `postgres://gate:planted-database-password@127.0.0.1:${await freePort()}/none`;
  const failed = runGateway({ SERVICE_SECRET_KEY: ENVIRONMENT.SERVICE_SECRET_KEY, SERVICE_DB_URL: url });
  const written = await failed.then(
    ({ output }) => output(),
    (error: Error) => error.message,
  );
  expect(written).toMatch(/database/i);
  expect(written).not.toContain('planted');
});
