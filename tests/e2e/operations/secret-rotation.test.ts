import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSettings } from '#core/model/agent.ts';
import type { AuditVerdict } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { type Enrolled, enrol } from '../../support/features/totp.ts';
import {
  type Actor,
  ADMIN_PASSWORD,
  logIn,
  startGateway,
  type TestGateway,
  USER_PASSWORD,
} from '../../support/gateway/gateway.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const OLD = 'the secret key of last year, long enough';
const NEW = 'the secret key of this year, long enough';
const LOST = 'a secret key that nobody has any more';

const AGENT = {
  provider: 'openrouter',
  base_url: '',
  model: 'm',
  allow_private_address: false,
  api_key: 'a-key',
};

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());

describe.each(DIALECTS)('A change of SERVICE_SECRET_KEY (%s)', (dialect) => {
  let database: FreshDatabase;
  let gateways: TestGateway[];
  let log: KeptLog;
  let server: Server;
  let factor: Enrolled;

  async function start(env: Record<string, string>): Promise<TestGateway> {
    log = keepLog();
    const gateway = await startGateway({
      database_url: database.url,
      env,
      untouched: gateways.length > 0,
      log,
    });
    gateways.push(gateway);
    return gateway;
  }

  async function stop(): Promise<void> {
    await gateways.at(-1)?.close();
  }

  /** With a server that uses a key, a user with a second factor, and the key of the agent's provider. */
  beforeEach(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateways = [];
    const gateway = await start({ SERVICE_SECRET_KEY: OLD });
    const { hostname, port, username, private_key } = sshd;
    server = await gateway.addServer({ hostname, port, username, auth_method: 'key', private_key });
    await gateway.admin.call('PUT', '/api/agent/settings', AGENT);
    factor = await enrol(await gateway.user({ username: 'ann', allowed_groups: ['lab'] }));
    await stop();
  });
  afterEach(async () => {
    await database.cleanup();
  });

  const sealedBy = async ({ store: { db, tables } }: TestGateway) => {
    const [row] = await db.select().from(tables.servers);
    const [ann] = (await db.select().from(tables.users)).filter(({ username }) => username === 'ann');
    const [agent] = await db.select().from(tables.agent_settings);
    return [row?.private_key_sealed, ann?.totp_secret_sealed, agent?.config_sealed].map(
      (sealed) => sealed?.split(':')[1],
    );
  };
  const test = (admin: Actor) =>
    admin.call<{ success: boolean; message: string }>('POST', `/api/servers/${server.id}/test`);
  const agentSettings = async (admin: Actor) =>
    (await admin.call<AgentSettings>('GET', '/api/agent/settings')).body;
  const verify = async (admin: Actor) =>
    (await admin.call<AuditVerdict>('GET', '/api/auth/audit/verify')).body;
  const resealed = () =>
    eventually(() => expect(log.lines.join('\n')).toContain('Resealed with the current secret key'));

  async function rotate(): Promise<void> {
    await start({ SERVICE_SECRET_KEY: NEW, SERVICE_SECRET_KEY_PREVIOUS: OLD });
    await resealed();
    await stop();
  }

  it('re-seals stored secrets in the background, and says so in the log and the audit log', async () => {
    const gateway = await start({ SERVICE_SECRET_KEY: NEW, SERVICE_SECRET_KEY_PREVIOUS: OLD });
    await resealed();
    expect(new Set(await sealedBy(gateway)).size).toBe(1);
    const admin = await gateway.signIn('admin', ADMIN_PASSWORD);
    await eventually(async () => {
      const { body } = await admin.call<{ detail: string }[]>('GET', '/api/auth/audit?action=secrets_reseal');
      expect(body.map(({ detail }) => detail)).toEqual(['secrets: 3, audit chains: 1']);
    });
    await gateway.close();
  });

  it('leaves nothing under the previous key: the next start works without it', async () => {
    await rotate();
    const gateway = await start({ SERVICE_SECRET_KEY: NEW });
    const admin = await gateway.signIn('admin', ADMIN_PASSWORD);
    expect((await test(admin)).body.message).toBe('Connection successful');
    const signed_in = await logIn(gateway.anonymous, 'ann', USER_PASSWORD, factor.nextCode());
    expect(signed_in.status).toBe(200);
    expect(await agentSettings(admin)).toMatchObject({ provider: 'openrouter', has_key: true });
    expect(await verify(admin)).toMatchObject({ ok: true });
    await gateway.close();
  });

  it('keeps the gateway usable while it runs: the previous key still opens its secrets', async () => {
    const gateway = await start({ SERVICE_SECRET_KEY: NEW, SERVICE_SECRET_KEY_PREVIOUS: OLD });
    const admin = await gateway.signIn('admin', ADMIN_PASSWORD);
    expect((await test(admin)).body.message).toBe('Connection successful');
    expect(await verify(admin)).toMatchObject({ ok: true });
    await gateway.close();
  });

  it('invalidates session tokens', async () => {
    const gateway = await start({ SERVICE_SECRET_KEY: OLD });
    const before = await gateway.signIn('admin', ADMIN_PASSWORD);
    await gateway.close();
    const after = await start({ SERVICE_SECRET_KEY: NEW, SERVICE_SECRET_KEY_PREVIOUS: OLD });
    const { status, body } = await after.actor(before.token).call('GET', '/api/auth/me');
    expect([status, body['detail']]).toEqual([401, 'Invalid token']);
    await after.close();
  });

  it('reports a credential under a lost key with the name of its server', async () => {
    const gateway = await start({ SERVICE_SECRET_KEY: LOST });
    const admin = await gateway.signIn('admin', ADMIN_PASSWORD);
    expect((await test(admin)).body).toMatchObject({
      success: false,
      message: expect.stringContaining('The stored private_key of box cannot be decrypted'),
    });
    await eventually(() =>
      expect(log.lines.join('\n')).toContain(`private_key of server box (#${server.id})`),
    );
    const { hostname, port, username, private_key } = sshd;
    const fresh = { name: 'fresh', hostname, port, username, auth_method: 'key' as const, private_key };
    const other = await admin.call<Server>('POST', '/api/servers', fresh);
    const reached = await admin.call('POST', `/api/servers/${other.body.id}/test`);
    expect(reached.body).toMatchObject({ success: true });
    await gateway.close();
  });

  it('switches the agent off under a lost key, and says so to administrators', async () => {
    const gateway = await start({ SERVICE_SECRET_KEY: LOST });
    const admin = await gateway.signIn('admin', ADMIN_PASSWORD);
    expect(await agentSettings(admin)).toMatchObject({ provider: null, has_key: false, is_unreadable: true });
    await eventually(() => expect(log.lines.join('\n')).toContain('settings of the agent'));
    await gateway.close();
  });

  it('keeps the record of a credential that the host has just refused', async () => {
    const gateway = await start({ SERVICE_SECRET_KEY: OLD });
    const { db, tables } = gateway.store;
    const [row] = await db.select().from(tables.servers);
    const nonce = row?.private_key_sealed?.split(':')[2] ?? '';
    await db.insert(tables.server_statuses).values({
      server_id: server.id,
      status: 'offline',
      refused_at: new Date().toISOString(),
      refused_as: `["${nonce}"]`,
      revision: 1,
    });
    await gateway.close();
    const after = await start({ SERVICE_SECRET_KEY: NEW, SERVICE_SECRET_KEY_PREVIOUS: OLD });
    await resealed();
    const [resealed_row] = await after.store.db.select().from(after.store.tables.servers);
    const [status] = await after.store.db.select().from(after.store.tables.server_statuses);
    expect(status?.refused_as).toBe(`["${resealed_row?.private_key_sealed?.split(':')[2]}"]`);
    await after.close();
  });
});
