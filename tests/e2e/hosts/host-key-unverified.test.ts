import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { addHost, listingOf, openingTerminal, serverOf, testOf } from '../../support/features/chain.ts';
import { isOnline, untilRounds, untilStatus } from '../../support/features/statuses.ts';
import { type Actor, ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const MONITORED = { SERVICE_DISABLE_MONITOR: 'false', SERVICE_MONITOR_INTERVAL: '1' };

let database: FreshDatabase;
let sshd: Sshd;
let gateway: TestGateway;
let admin: Actor;
let log: KeptLog;
let server: Server;

beforeAll(async () => {
  database = await migratedDatabaseUrl('sqlite');
  sshd = await startSshd();
  log = keepLog();
  gateway = await startGateway({
    database_url: database.url,
    log,
    env: { ...MONITORED, SERVICE_VERIFY_HOST_KEYS: 'false' },
  });
  admin = gateway.admin;
  server = await addHost(gateway, { name: 'unverified', sshd });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
  await database?.cleanup();
});

const pin = async () => (await serverOf(admin, server.id)).host_key_fingerprint;
const hostKeyStage = async () =>
  (await testOf(admin, server.id)).stages.find(({ name }) => name === 'host_key');
const health = async () => (await gateway.anonymous.call('GET', '/api/health')).body;

describe('While SERVICE_VERIFY_HOST_KEYS is false', () => {
  it('a changed host key connects, and nothing is pinned', async () => {
    for (const _key of ['first', 'second']) {
      expect(await testOf(admin, server.id)).toMatchObject({ success: true });
      expect((await listingOf(admin, server.id)).status).toBe(200);
      const terminal = openingTerminal(gateway, server.id);
      await terminal.frame('session');
      terminal.close(1000);
      expect(await pin()).toBe('');
      await sshd.rotateHostKey();
    }
  });

  it('the test says at the stage host_key that it was not verified', async () => {
    const detail = `${await sshd.hostFingerprint()} (not verified)`;
    expect(await hostKeyStage()).toMatchObject({ ok: true, detail });
  });

  // Each instance warns once.
  it.skipIf(IS_BALANCED)('the log warns, once for each server', async () => {
    await testOf(admin, server.id);
    const warnings = log.lines.filter((line) => line.includes('The host key was not verified'));
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', server_id: server.id, server: 'unverified' },
    ]);
  });

  it('the health says so', async () => {
    expect(await health()).toMatchObject({ host_keys_verified: false });
  });

  it('the status says so, though the server is online', async () => {
    const status = await untilStatus(admin, server.id, isOnline); // The host was briefly unreachable.
    expect(status).toMatchObject({ host_key_verified: false });
    await untilRounds(admin, server.id, 1);
    expect(await pin()).toBe('');
  });
});

describe('Once SERVICE_VERIFY_HOST_KEYS is true again', () => {
  beforeAll(async () => {
    await gateway.close();
    gateway = await startGateway({ database_url: database.url, untouched: true, env: MONITORED });
    admin = await gateway.signIn('admin', ADMIN_PASSWORD);
  });

  it('the next connection pins, and another key is refused from then on', async () => {
    const presented = await sshd.hostFingerprint();
    expect(await hostKeyStage()).toMatchObject({ ok: true, detail: presented });
    expect(await pin()).toBe(presented);
    await sshd.rotateHostKey();
    expect(await hostKeyStage()).toMatchObject({ ok: false });
    expect((await listingOf(admin, server.id)).code).toBe('host_key_changed');
  });

  it('health and status say that keys are verified', async () => {
    expect(await health()).not.toHaveProperty('host_keys_verified');
    await admin.call('DELETE', `/api/servers/${server.id}/host-key`);
    expect(await untilStatus(admin, server.id, isOnline)).not.toHaveProperty('host_key_verified');
  });
});
