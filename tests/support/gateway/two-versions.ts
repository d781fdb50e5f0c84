import { chownSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type FreshDatabase, freshDatabaseUrl } from '../databases/stores.ts';
import { type Sshd, startSshd } from '../hosts/sshd.ts';
import { freePort } from '../hosts/tcp.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../hosts/webhook-receiver.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Actor, createActor, logIn, SECRET_KEY, USER_PASSWORD } from './gateway.ts';
import { releasedProgram } from './release.ts';
import { firstToken, type RunningGateway, runGateway } from './running-gateway.ts';

const PASSWORDS = ['first-password-1', 'second-password-2'] as const;
const GROUP = 'lab';

export type Version = 'released' | 'present';

/** One database, one host and one balancer for instances of two versions. */
export interface TwoVersions {
  readonly database: FreshDatabase;
  readonly balancer: Balancer;
  readonly receiver: WebhookReceiver;
  readonly sshd: Sshd;
  /** On the host. */
  readonly folder: string;
  start(version: Version): Promise<RunningGateway>;
  close(): Promise<void>;
}

/** `/refused` refuses its first request; `/held` never answers its first one. */
export async function prepareTwoVersions(): Promise<TwoVersions> {
  const program = await releasedProgram();
  const ports = { released: await freePort(), present: await freePort() };
  const database = await freshDatabaseUrl('postgres');
  const balancer = await startBalancer(Object.values(ports));
  const sshd = await startSshd();
  const receiver = await startWebhookReceiver((response, { path }) => {
    const is_first = receiver.received(path).length === 1;
    if (is_first && path === '/held') return;
    response.writeHead(is_first && path === '/refused' ? 503 : 204).end();
  });
  const folder = mkdtempSync(join(sshd.folder, 'upgrade-'));
  chownSync(folder, sshd.uid, sshd.uid);
  const started: RunningGateway[] = [];
  return {
    database,
    balancer,
    receiver,
    sshd,
    folder,
    async start(version) {
      const env = environment(database.url, { version, port: ports[version] });
      const gateway = await runGateway(env, version === 'released' ? program : undefined);
      started.push(gateway);
      return gateway;
    },
    async close() {
      await balancer.stop();
      for (const gateway of started) await gateway.remove();
      await receiver.stop();
      await sshd.stop();
      await database.cleanup();
    },
  };
}

function environment(database_url: string, { version, port }: { version: Version; port: number }) {
  return {
    SERVICE_PORT: String(port),
    SERVICE_DB_URL: database_url,
    SERVICE_INSTANCE_ID: version,
    SERVICE_SECRET_KEY: SECRET_KEY,
    SERVICE_ADMIN_PASSWORD: PASSWORDS[0],
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true',
    SERVICE_RECORD_SESSIONS: 'true',
    SERVICE_LOG_FORMAT: 'json',
    SERVICE_DRAIN_SECONDS: '3',
  };
}

/** What people have in the first version before the second one comes. */
export interface Belongings {
  readonly admin: Actor;
  readonly ann: Actor;
  readonly key: Actor;
  readonly server_id: number;
}

/** Made through the balancer, at the first version. */
export async function makeBelongings({ balancer, sshd, receiver }: TwoVersions): Promise<Belongings> {
  const { url } = balancer;
  const admin = createActor(url, await firstToken(url, ...PASSWORDS));
  const { port, username, password } = sshd;
  const address = { hostname: '127.0.0.1', port, username, password, group: GROUP };
  const { id: server_id } = await done<{ id: number }>(admin, 'POST', '/api/servers', {
    name: 'box',
    ...address,
  });
  for (const path of ['/added', '/refused', '/held'])
    await done(admin, 'POST', '/api/webhooks', {
      name: path,
      url: receiver.url(path),
      events: [path === '/added' ? 'server_added' : 'sftp_delete'],
    });
  const { key } = await done<{ key: string }>(admin, 'POST', '/api/auth/api-keys', { name: 'job' });
  return { admin, ann: await addUser(admin, url, 'ann'), key: createActor(url, key), server_id };
}

/** A user of the group, signed in at `url`. */
export async function addUser(admin: Actor, url: string, username: string): Promise<Actor> {
  const fields = { username, password: USER_PASSWORD, allowed_groups: [GROUP] };
  await done(admin, 'POST', '/api/auth/users', fields);
  const { body } = await logIn(createActor(url, ''), username, USER_PASSWORD);
  return createActor(url, body.access_token);
}

/** Throws unless it succeeds. */
export async function done<T = Record<string, unknown>>(
  actor: Actor,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await actor.call<T>(method, path, body);
  if (answer.status < 300) return answer.body;
  throw new Error(`${answer.status} ${method} ${path}: ${JSON.stringify(answer.body)}`);
}
