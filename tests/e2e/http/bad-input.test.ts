import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import {
  type Actor,
  freshAddress,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import {
  OPERATIONS,
  type Operation,
  resolved,
  type Schema,
  withQuery,
} from '../../support/gateway/operations.ts';
import { openTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const NO_HANG_MS = 10_000;
const DEEP = 10_000;

/** A body that passes validation for each operation. */
const HOST_KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`;

const VALID: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'agent.ask': { message: 'Why?' },
  'agent.update_settings': { provider: null, base_url: '', model: 'm', allow_private_address: false },
  'agent.test_settings': { provider: 'ollama', base_url: '', model: 'm', allow_private_address: false },
  'terminals.share': { mode: 'ro' },
  'webhooks.create': { name: 'hook', url: 'https://hooks.example/x', enabled: false },
  'webhooks.update': { enabled: false },
  'servers.create': { name: 'box', hostname: 'h.example', username: 'u' },
  'servers.update': { description: 'd' },
  'servers.import': { servers: [{ name: 'box', hostname: 'h.example', username: 'u' }] },
  'servers.import_ssh_config': { text: 'Host box\n  HostName h.example\n' },
  'servers.import_host_keys': { text: '# none\n' },
  'servers.accept_host_key': { host_key: HOST_KEY },
  'recordings.search': { text: 'uptime' },
  'embedding.ticket': { server_id: 1, kind: 'terminal' },
  'embedding.start': { ticket: 'none' },
  'terminals.accept_host_key': { host_key: HOST_KEY },
  'auth.login': { username: 'nobody-here', password: 'wrong' },
  'auth.step_up': { password: 'wrong' },
  'auth.change_password': { new_password: 'another-password-1' },
  'totp.verify': { code: '123456' },
  'totp.renew_recovery_codes': { code: '123456' },
  'totp.disable': { code: '123456' },
  'api_keys.create': { name: 'key' },
  'users.create': { username: 'made', password: 'made-password-1' },
  'users.update': { must_change_password: false },
  'users.set_groups': { allowed_groups: ['lab'] },
  'users.reset_password': { password: 'reset-password-1' },
  'files.ticket': { path: '/' },
  'files.connect': { username: 'u', password: 'p' },
  'files.write': { path: '/no/such/file', content: 'text' },
  'files.mkdir': { path: '/no/such/place' },
  'files.restore': { path: '/no/such/file', copy_path: '/no/such/copy' },
  'files.rename': { old_path: '/no/such/a', new_path: '/no/such/b' },
  'files.chmod': { path: '/no/such/file', mode: '644' },
  'files.zip_paths': { paths: ['/no/such/place'] },
  'files.copy_to': { source_path: '/no/such/a', target_server_id: 1, target_path: '/no/such/b' },
  'files.extract': { path: '/no/such/a.zip', target_path: '/no/such/b' },
  'branding.update': { tagline: 'Mind the gap' },
  'settings.update': { values: { session_timeout: 3600 } },
  'settings.reset': { keys: ['session_timeout'] },
  'backups.export': { passphrase: 'a long passphrase' },
  'backups.restore': { bundle: {}, passphrase: 'a long passphrase', mode: 'merge' },
  'snippets.create': { name: 'disk', command: 'df -h' },
  'snippets.update': { description: 'd' },
};

const quoted = (text: string) => JSON.stringify(text);

/** JSON texts of property values, with their JSON Schema type. */
const VALUES: readonly { what: string; text: string; type: string }[] = [
  { what: 'null', text: 'null', type: 'null' },
  { what: 'true', text: 'true', type: 'boolean' },
  { what: '0', text: '0', type: 'integer' },
  { what: '-1', text: '-1', type: 'integer' },
  { what: '1.5', text: '1.5', type: 'number' },
  { what: '10^19', text: '1e19', type: 'number' },
  { what: '10^400', text: '1e400', type: 'number' },
  { what: 'a digit as text', text: '"1"', type: 'string' },
  { what: 'an empty string', text: '""', type: 'string' },
  { what: 'a string of 10,000', text: quoted('x'.repeat(10_000)), type: 'string' },
  { what: 'a string with NUL', text: quoted('nul\u0000inside'), type: 'string' },
  { what: 'a string with control characters', text: quoted('\u001b[31m\r\n\u0085inside'), type: 'string' },
  { what: 'a lone surrogate', text: '"half \\ud83d inside"', type: 'string' },
  { what: 'a surrogate pair', text: quoted('horse 🐎 inside'), type: 'string' },
  { what: 'an empty array', text: '[]', type: 'array' },
  { what: 'an array of all kinds', text: '[1, null, {}, [[]], "x"]', type: 'array' },
  { what: 'an array of strings with NUL', text: '["a\\u0000b", "\\ud83d"]', type: 'array' },
  { what: 'an empty object', text: '{}', type: 'object' },
  { what: 'an object with __proto__', text: '{"__proto__": {"length": 1}}', type: 'object' },
];

/** Databases differ only on these values; everything else is rejected earlier and tested on one database. */
const DATABASE_VALUES = ['a string with NUL', 'a lone surrogate', 'an array of strings with NUL', '10^19'];

/** These use defaults, or what is stored. */
const MAY_BE_EMPTY = ['terminals.share', 'agent.test_settings'];

const BODIES: readonly (readonly [string, string])[] = [
  ['truncated JSON', '{"name": '],
  ['not JSON', 'name=box'],
  ['nothing', ''],
  ['an array', '[]'],
  ['null', 'null'],
  ['a string', '"text"'],
  ['a number', '1e400'],
  ['10,000 nested arrays', '['.repeat(DEEP) + ']'.repeat(DEEP)],
  ['10,000 nested objects', `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
];

const tooLarge = (limit_mib: number) => quoted('x'.repeat((limit_mib + 1) * 1024 * 1024));
/** Routes without a sign-in take 8 KiB. */
const isTooLarge = ({ access }: { readonly access: string }, body: string) =>
  access === 'public' && Buffer.byteLength(body) > 8192;
/** These properties may hold a whole file. */
const LONG_TEXTS = ['context', 'text', 'content'];
/** The schema lets every type of these through; the feature refuses them. */
const JUDGED_LATER = ['bundle'];

const PARAMETERS = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x1',
  '%201',
  '+1',
  '01',
  '1.0',
  '9007199254740993',
  '%D9%A1',
  '99999999999999999999',
  'NaN',
  'Infinity',
  'abc',
  '%00',
  '1%00',
  '%ff',
  '%',
  '..%2f..',
  '%2e%2e%2f%2e%2e',
  '%F0%9F%90%8E',
  'x'.repeat(5000),
];

const DATABASE_PARAMETERS = ['0', '99999999999999999999', '%00', '1%00', '%ff'];

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly actor: Actor;
  readonly body?: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly body: {
    readonly code?: string;
    readonly detail?: string;
    readonly errors?: readonly { readonly path: string }[];
  };
}

const SOCKETS = OPERATIONS.filter(({ socket }) => socket);
const PLAIN = OPERATIONS.filter(({ socket }) => !socket);
const WITH_BODY = OPERATIONS.filter(({ body }) => body !== undefined);
const WITH_PARAMETERS = PLAIN.filter(({ path }) => path.includes('{'));
const WITH_QUERY = PLAIN.filter(({ query }) => query.length > 0);

it('Every operation with a body has a valid example', () => {
  expect(Object.keys(VALID).sort()).toEqual(WITH_BODY.map(({ id }) => id).sort());
});

describe.each(DIALECTS)('Bad input (%s)', (dialect) => {
  const runs_all = dialect === 'postgres'; // the stricter of the two
  const parameters = runs_all ? PARAMETERS : DATABASE_PARAMETERS;
  let database: FreshDatabase;
  let gateway: TestGateway;
  let sshd: Sshd;
  let chief: Actor | undefined;
  let count = 0;

  beforeAll(async () => {
    sshd = await startSshd();
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url });
  });
  afterAll(async () => {
    await gateway?.close();
    await database?.cleanup();
    await sshd?.stop();
  });

  /** An administrator with a valid session: some operations end it. */
  async function administrator(): Promise<Actor> {
    if (chief && (await chief.call('GET', '/api/auth/me')).status === 200) return chief;
    count += 1;
    chief = await gateway.user({ username: `chief-${count}`, is_admin: true });
    return chief;
  }

  /** The operation's path with existing ids: a new server and a new user each time. */
  async function existingPath({ path }: Operation): Promise<string> {
    return path
      .replace(/\{(id|server_id)\}/, String(/\{(id|server_id)\}/.test(path) && (await newServer())))
      .replace('{user_id}', String(path.includes('{user_id}') && (await newUser())))
      .replace(/\{\w+\}/, '2147483647');
  }

  async function newServer(): Promise<number> {
    const { port, username, password } = sshd;
    return (await gateway.addServer({ port, username, password })).id;
  }

  async function newUser(): Promise<number> {
    count += 1;
    const { body } = await gateway.admin.call<{ id: number }>('POST', '/api/auth/users', {
      username: `target-${count}`,
      password: USER_PASSWORD,
    });
    return body.id;
  }

  /** Sends the path exactly as written; `fetch` would normalize it. */
  function sendRaw({ method, path, actor, body, headers = {}, agent }: Ask): Promise<Got> {
    const address = { 'x-forwarded-for': freshAddress() };
    const token: Record<string, string> = actor.token ? { authorization: `Bearer ${actor.token}` } : {};
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const { port } = new URL(gateway.url);
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(NO_HANG_MS);
      const all = { ...address, ...token, ...length, ...headers };
      const options = { host: '127.0.0.1', port, method, path, headers: all, signal, agent };
      const sent = request(options, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        const body = text.startsWith('{') ? JSON.parse(text) : {};
        resolve({ status: response.statusCode ?? 0, text, body });
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  /** Clears rate limits and lockouts, which would hide the actual response. */
  async function send(ask: Ask): Promise<Got> {
    const got = await sendRaw(ask);
    if (got.status !== 429) return got;
    const { db, tables } = gateway.store;
    await db.delete(tables.rate_limits);
    await db.delete(tables.lockouts);
    return sendRaw({ ...ask });
  }

  function sendJson(ask: Omit<Ask, 'headers'>): Promise<Got> {
    return send({ ...ask, headers: { 'content-type': 'application/json' } });
  }

  function expectUnfit(what: string, { status, body: { code } }: Got): void {
    const is_invalid_input = ['validation', 'unreadable_private_key', 'backup_unreadable'].includes(
      code ?? '',
    );
    expect({ what, status, code, is_invalid_input }).toMatchObject({
      what,
      status: 422,
      is_invalid_input: true,
    });
  }

  /** Never a 5xx, and every refusal in the one error format. */
  function expectNoFailure(what: string, { status, text, body }: Got): void {
    expect({ what, status, text, is_failure: status >= 500 }).toMatchObject({ what, is_failure: false });
    if (status < 400) return;
    const shape = { detail: expect.stringMatching(/./), code: expect.stringMatching(/^[a-z0-9_]+$/) };
    expect({ what, text, body }).toMatchObject({ what, body: shape });
  }

  describe('A property of a body, with any value its type allows,', () => {
    it.each(WITH_BODY)('never makes $id answer 5xx', async (operation) => {
      const { method, id, body: schema } = operation;
      const actor = await administrator();
      const path = await existingPath(operation);
      for (const { name, what, text, is_unfit } of valuesFor(schema)) {
        if (!runs_all && (is_unfit || !DATABASE_VALUES.includes(what))) continue;
        const body = bodyWith(VALID[id], [name], text);
        const got = await sendJson({ method, path, actor, body });
        expectNoFailure(`${name}: ${what}`, got);
        if (is_unfit && !isTooLarge(operation, body)) expectUnfit(`${name}: ${what}`, got);
      }
    });
  });

  // nginx refuses some of them itself.
  describe.skipIf(IS_BALANCED)('An invalid path parameter', () => {
    it.each(WITH_PARAMETERS)('is not found by $method $path', async (operation) => {
      const { method, id } = operation;
      const actor = await administrator();
      const body = VALID[id] && JSON.stringify(VALID[id]);
      for (const parameter of parameters) {
        const path = withQuery(operation, operation.path.replace(/\{\w+\}/, parameter));
        const headers = { 'content-type': 'application/json', ...operation.headers };
        const got = await send({ method, path, actor, body, headers });
        const what = parameter.slice(0, 40);
        expectNoFailure(what, got);
        const status = method === 'OPTIONS' ? 204 : 404; // the tus OPTIONS response does not depend on a server
        expect({ what, status: got.status }).toEqual({ what, status });
      }
    });

    it.each(WITH_PARAMETERS)('never makes $method $path write to another path', async (operation) => {
      const actor = await administrator();
      const path = operation.path.replace(/\{\w+\}/, '../..');
      const got = await sendRaw({ method: operation.method, path, actor });
      const { status } = got;
      expect(operation.method === 'GET' ? [200, 404, 405, 422] : [404, 405, 422]).toContain(status);
    });
  });

  describe('An invalid query parameter', () => {
    it.each(WITH_QUERY)('never makes $method $path answer 5xx', async (operation) => {
      const actor = await administrator();
      const base = await existingPath(operation);
      for (const { query, what, is_unfit } of queriesFor(operation, parameters, runs_all)) {
        const got = await send({ method: operation.method, path: `${base}?${query}`, actor });
        expectNoFailure(what, got);
        if (is_unfit) expectUnfit(what, got);
      }
    });
  });

  if (!runs_all) return; // the rest is rejected before it reaches a database

  // Judged before the feature, and so the database, is reached.
  describe.runIf(runs_all)('A JSON body', () => {
    it.each(WITH_BODY)('with properties of another type gets 422 naming them from $id', async (operation) => {
      const { method, id, body: schema } = operation;
      const actor = await administrator();
      const path = await existingPath(operation);
      for (const { what, text, type } of VALUES) {
        for (const names of tens(propertiesRefusing(schema, type))) {
          const body = bodyWith(VALID[id], names, text);
          if (isTooLarge(operation, body)) continue;
          const got = await sendJson({ method, path, actor, body });
          expectUnfit(what, got);
          const named = (got.body.errors ?? []).map((error) => error.path.split('.')[0]);
          expect({ what, named: [...new Set(named)].sort() }).toEqual({ what, named: names });
        }
      }
    });

    it.each(WITH_BODY)('with an unknown key gets 422 naming the key from $id', async (operation) => {
      const { method, id } = operation;
      const actor = await administrator();
      const path = await existingPath(operation);
      const body = JSON.stringify({ ...VALID[id], no_such_key: 1 });
      const got = await sendJson({ method, path, actor, body });
      expect({ status: got.status, code: got.body.code }).toEqual({ status: 422, code: 'validation' });
      expect(got.text).toContain('no_such_key');
    });

    it.each(WITH_BODY)(
      'without a required property of $id gets 422 naming the property',
      async (operation) => {
        const { method, id, body: schema } = operation;
        const actor = await administrator();
        const path = await existingPath(operation);
        for (const name of schema?.required ?? []) {
          if (schema?.properties?.[name] === undefined || !(name in (VALID[id] ?? {}))) continue;
          const rest = Object.entries(VALID[id] ?? {}).filter(([key]) => key !== name);
          const got = await sendJson({ method, path, actor, body: JSON.stringify(Object.fromEntries(rest)) });
          expect(got.status).toBe(422);
          expect(got.body).toMatchObject({ code: 'validation', errors: [{ path: name }] });
        }
      },
    );

    it.each(WITH_BODY)('that is not an object is refused by $id', async (operation) => {
      const actor = await administrator();
      const path = await existingPath(operation);
      for (const [what, body] of BODIES) {
        if (isTooLarge(operation, body)) continue;
        const got = await sendJson({ method: operation.method, path, actor, body });
        expectNoFailure(what, got);
        if (what !== 'nothing' || !MAY_BE_EMPTY.includes(operation.id)) expectUnfit(what, got);
      }
    });

    it.each(WITH_BODY)('over its limit gets 413 from $id', async (operation) => {
      const { method, body_limit_mib } = operation;
      const actor = await administrator();
      const path = await existingPath(operation);
      const agent = new Agent(); // a connection of its own
      const got = await sendJson({ method, path, actor, body: tooLarge(body_limit_mib), agent });
      agent.destroy();
      expect([got.status, got.body.code]).toEqual([413, 'body_too_large']);
      expect(got.body.detail).toContain(operation.access === 'public' ? '8 KiB' : `${body_limit_mib} MiB`);
    });

    it('over 1 MiB does not affect the next request on the connection', async () => {
      const actor = await administrator();
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const body = tooLarge(1);
      const large = await sendJson({ method: 'POST', path: '/api/servers', actor, body, agent });
      expect(large.status).toBe(413);
      expect((await sendJson({ method: 'GET', path: '/api/servers', actor, agent })).status).toBe(200);
      agent.destroy();
    });

    it.each(WITH_BODY)('with another content type, or none, is refused by $id', async (operation) => {
      const { method, id } = operation;
      const actor = await administrator();
      const path = await existingPath(operation);
      const body = JSON.stringify(VALID[id]);
      for (const type of [
        undefined,
        '',
        'text/plain',
        'application/x-www-form-urlencoded',
        'json',
        'multipart/form-data',
      ]) {
        const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
        const got = await send({ method, path, actor, body, headers });
        expectNoFailure(String(type), got);
        expect({ type, is_refused: got.status >= 400, status: got.status }).toMatchObject({
          type,
          is_refused: true,
        });
      }
    });

    it.each(WITH_BODY)('that is compressed is refused by $id', async (operation) => {
      const { method, id } = operation;
      const actor = await administrator();
      const path = await existingPath(operation);
      for (const encoding of ['gzip', 'br', 'x-nonsense', 'gzip, gzip']) {
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
        const got = await send({ method, path, actor, body: gzipSync(JSON.stringify(VALID[id])), headers });
        expectNoFailure(encoding, got);
        expect({ encoding, is_refused: got.status >= 400 && got.status < 500 }).toEqual({
          encoding,
          is_refused: true,
        });
      }
    });
  });

  it('is answered with at most twenty errors', async () => {
    const many = { servers: Array.from({ length: 5000 }, () => ({})) };
    const { status, body } = await gateway.admin.call<{ errors: object[] }>(
      'POST',
      '/api/servers/import',
      many,
    );
    expect([status, body.errors.length]).toEqual([422, 20]);
  });

  // nginx refuses some of it itself.
  describe.skipIf(IS_BALANCED)('Bad input to a socket', () => {
    it.each(SOCKETS.filter(({ id }) => id !== 'terminals.quick'))(
      '$path closes without an internal error',
      async (operation) => {
        const { token } = await administrator();
        const headers = { authorization: `Bearer ${token}` };
        for (const parameter of PARAMETERS.filter((one) => one.length < 100)) {
          const path = operation.path.replace(/\{\w+\}/, parameter);
          const client = openTerminal(gateway.url + path, { headers });
          const { code } = await client.frame('error');
          expect({ parameter, code }).not.toMatchObject({ code: 'internal' });
          expect((await client.closed()).code).toBe(4004);
        }
        const path = await existingPath(operation);
        for (const query of [
          'cols=0&rows=24',
          'cols=-1',
          'cols=1.5',
          'cols=abc',
          'rows=NaN',
          'ticket=%00',
          'cols=1e99',
        ]) {
          const client = openTerminal(`${gateway.url}${path}?${query}`, { headers });
          const { code } = await client.frame('error');
          expect({ query, code }).not.toMatchObject({ code: 'internal' });
          expect([1008, 4001, 4004]).toContain((await client.closed()).code);
        }
      },
    );
  });

  describe('On the wire', () => {
    /** Everything the gateway sends until it closes the connection; fails if it waits for more. */
    async function talk(text: string, { hang_up = true } = {}): Promise<string> {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      let received = '';
      socket.on('data', (bytes) => {
        received += bytes;
      });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
      if (hang_up) socket.end();
      await once(socket, 'close', { signal: AbortSignal.timeout(NO_HANG_MS) });
      return received;
    }
    const login = (headers: string, body: string) =>
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
    const BODY = JSON.stringify(VALID['auth.login']);

    it('a Content-Length larger than the body neither hangs nor crashes the gateway', async () => {
      const received = await talk(login('Content-Length: 5000', BODY));
      expect(received).not.toMatch(/^HTTP\/1.1 (2|5)/);
    });

    it.each([
      ['that is shorter than the body', 'Content-Length: 5\r\nConnection: close'],
      ['that is not a number', 'Content-Length: five'],
      ['that is negative', 'Content-Length: -1'],
      ['that is huge', 'Content-Length: 99999999999999999999'],
      ['sent twice', `Content-Length: 5\r\nContent-Length: ${BODY.length}`],
      ['with chunked encoding', `Content-Length: ${BODY.length}\r\nTransfer-Encoding: chunked`],
      ['that announces 2 MiB', 'Content-Length: 2097152'],
    ])('a Content-Length %s is refused', async (_what, headers) => {
      expect(await talk(login(headers, BODY))).toMatch(/^(HTTP\/1.1 4\d\d |$)/);
    });

    it('endless chunks are refused at the limit', async () => {
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const received = await talk(
        login('Transfer-Encoding: chunked\r\nConnection: close', chunk.repeat(40)),
        {
          hang_up: false,
        },
      );
      expect(received).toMatch(/^HTTP\/1.1 413 /);
    });

    it('the gateway still works afterwards', async () => {
      expect((await gateway.admin.call('GET', '/api/health')).status).toBe(200);
      expect((await gateway.admin.call('GET', '/api/servers')).status).toBe(200);
    });
  });
});

/** Every property with each value of a type that gets past the schema. */
function valuesFor(schema: Schema | undefined) {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, property]) =>
    VALUES.filter(({ type }) => JUDGED_LATER.includes(name) || accepts(property, type)).map(
      ({ what, text, type }) => ({
        name,
        what,
        text,
        is_unfit: !accepts(property, type) || (what === 'a string of 10,000' && !LONG_TEXTS.includes(name)),
      }),
    ),
  );
}

function propertiesRefusing(schema: Schema | undefined, type: string): string[] {
  const properties = Object.entries(schema?.properties ?? {});
  const refusing = properties.filter(
    ([name, property]) => !JUDGED_LATER.includes(name) && !accepts(property, type),
  );
  return refusing.map(([name]) => name).sort();
}

/** An answer names at most twenty errors. */
function tens(names: readonly string[]): string[][] {
  return names.length === 0 ? [] : [names.slice(0, 10), ...tens(names.slice(10))];
}

/** The valid body with properties replaced by raw JSON text. */
function bodyWith(
  valid: Readonly<Record<string, unknown>> = {},
  names: readonly string[],
  text: string,
): string {
  const rest = Object.entries(valid).filter(([key]) => !names.includes(key));
  const members = rest.map(([key, value]) => `${quoted(key)}:${JSON.stringify(value)}`);
  return `{${[...members, ...names.map((name) => `${quoted(name)}:${text}`)].join()}}`;
}

const NO_COUNT = /=(-1|1\.5|NaN|Infinity|abc|9{20}|%00)$/;

/** Every parameter with each of these values, and in forms that some parsers read as lists. */
function queriesFor(operation: Operation, values: readonly string[], with_lists: boolean) {
  return operation.query.flatMap(({ name, schema }) => {
    const twisted = ['', '1', '../..'].map((value) => `${name}=${value}`);
    const lists = [name, `${name}=1&${name}=2`, `${name}[]=1`, `${name}[a]=1`];
    const all = [...values.map((value) => `${name}=${value}`), ...(with_lists ? [...twisted, ...lists] : [])];
    return all.map((asked) => ({
      query: [withQuery(operation, '', name).slice(1), asked].filter(Boolean).join('&'),
      what: asked.slice(0, 60),
      is_unfit: accepts(schema, 'integer') && NO_COUNT.test(asked),
    }));
  });
}

/** Whether the schema accepts this type, whatever the value. */
function accepts(schema: Schema | undefined, type: string): boolean {
  const found = resolved(schema);
  if (!found) return false;
  if (found.anyOf) return found.anyOf.some((one) => accepts(one, type));
  if (found.enum) return type === 'null' && found.enum.includes(null);
  const types = [found.type].flat();
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}
