import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe } from 'vitest';
import type { InstanceTimes } from '#core/instances/instances.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { Clock, Log } from '#core/ports/runtime.ts';
import { openStore } from '#db/open-store.ts';
import type { Dialect, Store } from '#db/store.ts';
import { composeGateway } from '#server/compose.ts';
import { type Config, parseConfig } from '#server/config/config.ts';
import { type ListenOptions, listen } from '#server/http/listen.ts';
import { systemClock } from '#server/lib/clock.ts';
import { quickFolder } from '../databases/quick-folder.ts';
import { DIALECTS, migratedDatabaseUrl, placeMigratedFile, silent } from '../databases/stores.ts';
import { type Place, startBalanced, type Undo } from './balanced.ts';
import { assertDocumented } from './documented.ts';
import { IS_BALANCED } from './is-balanced.ts';

export const SECRET_KEY = 'a secret key of the tests, long enough';
export const FIRST_PASSWORD = 'first-password-1';
export const ADMIN_PASSWORD = 'second-password-2';
export const USER_PASSWORD = 'user-password-3';
/** A run signs in thousands of times: the real hash cost would take a third of it. */
const HASH_COST = { memoryCost: 256, timeCost: 1, parallelism: 1 };
const BACKUP_COST = { memory_kib: 8192, iterations: 1, parallelism: 1 };

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** A caller with a token or without one. */
export interface Actor {
  readonly token: string;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>>;
}

export interface TestGateway {
  readonly url: string;
  readonly config: Config;
  readonly store: Store;
  readonly anonymous: Actor;
  readonly admin: Actor;
  actor(token: string): Actor;
  signIn(username: string, password: string): Promise<Actor>;
  /** Inserts a user into the database and signs in. */
  user(fields: {
    username: string;
    allowed_groups?: string[];
    must_change_password?: boolean;
    is_admin?: boolean;
  }): Promise<Actor>;
  addServer(
    fields: Partial<Server> & { password?: string; private_key?: string; passphrase?: string },
  ): Promise<Server>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly database_url?: string;
  readonly env?: Record<string, string>;
  /** Leave the default administrator signed out, with the initial password. */
  readonly untouched?: boolean;
  /** Receives the gateway's log. */
  readonly log?: Log;
  /** By default the machine's clock, not corrected to the time of the database: tests set it. */
  readonly clock?: Clock;
  /** Corrected to the time of the database. */
  readonly machine_clock?: Clock;
  readonly listening?: ListenOptions;
  readonly instance_times?: InstanceTimes;
  /** Folder of the built pages. */
  readonly web_dir?: string;
  readonly role?: 'gateway' | 'worker';
  /** In a balanced run, too. */
  readonly one_instance?: boolean;
}

/** Starts the whole gateway on a free port and signs its administrator in. */
export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const undo: Undo = [];
  async function close(): Promise<void> {
    for (const step of undo.splice(0).reverse()) await step();
  }
  try {
    const { url, config, store } = await startInstances(options, undo);
    const admin = options.untouched ? createActor(url, '') : await firstSignIn(url);
    return { ...createTestGateway({ url, config, store, admin }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startInstances(options: TestGatewayOptions, undo: Undo): Promise<Instance> {
  const data_dir = quickFolder('sallyport-gateway-');
  undo.push(async () => rmSync(data_dir, { recursive: true, force: true }));
  async function start(place: Place): Promise<Instance> {
    const instance = await startInstance(place, options);
    undo.push(instance.close);
    return instance;
  }
  const { database_url, role = 'gateway', one_instance = !IS_BALANCED || role === 'worker' } = options;
  const place = { data_dir, recordings_dir: join(data_dir, 'recordings'), database_url };
  return one_instance ? start(place) : startBalanced(start, place, undo);
}

interface Instance extends Pick<TestGateway, 'url' | 'config' | 'store' | 'close'> {
  readonly port: number;
}

async function startInstance(
  { data_dir, recordings_dir, database_url }: Place,
  options: TestGatewayOptions,
): Promise<Instance> {
  const config = parseConfig({
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: data_dir,
    SERVICE_RECORDINGS_DIR: recordings_dir,
    SERVICE_SECRET_KEY: SECRET_KEY,
    SERVICE_ADMIN_PASSWORD: FIRST_PASSWORD,
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_ALLOWED_TARGETS: '127.0.0.0/8', // where quick connect finds the sshd of a test
    SERVICE_DISABLE_MONITOR: 'true', // it would contact the hosts of tests that are not about it
    ...(database_url ? { SERVICE_DB_URL: database_url } : {}),
    ...options.env,
  });
  if (!database_url) await placeMigratedFile(join(data_dir, 'sallyport.db')); // faster than migrating
  const {
    log = silent,
    clock = systemClock,
    machine_clock,
    instance_times,
    web_dir,
    role = 'gateway',
  } = options;
  const extras = {
    ...{ hash_cost: HASH_COST, backup_cost: BACKUP_COST, role },
    ...(machine_clock ? { machine_clock } : { clock }),
    ...(instance_times ? { instance_times } : {}),
    ...(web_dir ? { web_dir } : {}),
  };
  const gateway = await composeGateway(config, log, extras);
  const listener = await listen(gateway, config, options.listening);
  const store = openStore(config.database_url);
  const url = `http://127.0.0.1:${listener.port}${config.root_path}`;

  async function close(): Promise<void> {
    const closed = listener.close();
    await gateway.close();
    await closed;
    await store.close();
  }

  try {
    await gateway.bootstrap(() => undefined, url);
    return { url, config, store, close, port: listener.port };
  } catch (error) {
    await close();
    throw error;
  }
}

type Running = Pick<TestGateway, 'url' | 'config' | 'store' | 'admin'>;

function createTestGateway({ url, config, store, admin }: Running): Omit<TestGateway, 'close'> {
  const anonymous = createActor(url, '');
  return {
    url,
    config,
    store,
    admin,
    anonymous,
    actor: (token) => createActor(url, token),
    signIn: (username, password) => signIn(url, username, password),

    async user({ username, allowed_groups = [], must_change_password = false, is_admin = false }) {
      const { db, tables } = store;
      await db.insert(tables.users).values({
        username,
        username_key: username.toLowerCase(),
        password_hash: await hash(USER_PASSWORD, HASH_COST),
        is_admin,
        must_change_password,
        totp_enabled: false,
        allowed_groups,
        source: 'local',
        disabled: false,
        created_at: new Date().toISOString(),
      });
      return signIn(url, username, USER_PASSWORD);
    },

    async addServer(fields) {
      const defaults = { name: 'box', hostname: '127.0.0.1', username: 'nobody', group: 'lab' };
      const { status, body } = await admin.call<Server>('POST', '/api/servers', { ...defaults, ...fields });
      if (status !== 201) throw new Error(`Server not created: ${JSON.stringify(body)}`);
      return body;
    },
  };
}

async function firstSignIn(url: string): Promise<Actor> {
  const admin = await signIn(url, 'admin', FIRST_PASSWORD);
  const { status } = await admin.call('POST', '/api/auth/change-password', { new_password: ADMIN_PASSWORD });
  if (status !== 200) throw new Error(`Password not changed: ${status}`);
  return admin;
}

async function signIn(url: string, username: string, password: string): Promise<Actor> {
  const { status, body } = await logIn(createActor(url, ''), username, password);
  if (status !== 200) throw new Error(`Sign-in failed: ${status} ${JSON.stringify(body)}`);
  return createActor(url, body.access_token);
}

let addresses = 0;

/** Signs in from a fresh address, so the sign-in limit only affects the tests that are about it. */
export async function logIn(actor: Actor, username: string, password: string, totp_code?: string) {
  const response = await actor.fetch('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': freshAddress() },
    body: JSON.stringify({ username, password, ...(totp_code === undefined ? {} : { totp_code }) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: bodyOf<LoginBody>(await response.text()),
  };
}

export interface LoginBody {
  readonly access_token: string;
  readonly requires_2fa: boolean;
  readonly detail: string;
  readonly code: string;
}

/** An address no other request uses. */
export function freshAddress(): string {
  addresses += 1;
  return `10.${addresses >> 8}.${addresses & 255}.1`;
}

export function createActor(url: string, token: string): Actor {
  const send = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (token && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  const held: Response[] = []; // undici cancels a response body once the response is unreferenced and unread
  return {
    token,
    async fetch(path, init) {
      const response = await send(path, init);
      held.push(response);
      return response;
    },
    async call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
      const json =
        body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await send(path, { method, ...json });
      const { status, headers } = response;
      const answer = bodyOf<T>(await textOf(response));
      assertDocumented({ method, path, status }, answer);
      return { status, headers, body: answer };
    },
  };
}

/** An event stream never ends, so its body is not read. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}

/** Tests name the shape they expect and then assert on it. */
function bodyOf<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    return text as T;
  }
}

/** Runs the same tests against a gateway on each database, with one gateway for the whole block. */
export function describeEachGateway(
  name: string,
  body: (gateway: () => TestGateway, dialect: Dialect) => void,
  options: Omit<TestGatewayOptions, 'database_url'> = {},
): void {
  describe.each(DIALECTS)(`${name} (%s)`, (dialect) => {
    let running: TestGateway | undefined;
    let cleanup = async () => {};
    beforeAll(async () => {
      const database = await migratedDatabaseUrl(dialect);
      cleanup = database.cleanup;
      running = await startGateway({ ...options, database_url: database.url });
    });
    afterAll(async () => {
      await running?.close();
      await cleanup();
    });
    const gateway = () => {
      if (!running) throw new Error('The gateway did not start');
      return running;
    };
    body(gateway, dialect);
  });
}
