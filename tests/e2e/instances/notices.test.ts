import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { roundless } from '../../support/databases/statements.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { shellOn, socketTo } from '../../support/features/shells.ts';
import { ONLINE, openEvents, saveStatus } from '../../support/features/statuses.ts';
import { type Actor, ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startSilentPeer } from '../../support/hosts/tcp.ts';
import { startWebhookReceiver } from '../../support/hosts/webhook-receiver.ts';

// Both gateways run without rounds: what one changes reaches the other by a notice or not at all.
describe('Two instances that do not poll (postgres)', () => {
  let database: FreshDatabase;
  let sshd: Sshd;
  let log: KeptLog;
  let one: TestGateway;
  let other: TestGateway;
  let admin: Actor; // at the other instance
  let server_id: number;
  let people = 0;

  beforeAll(async () => {
    sshd = await startSshd();
    database = await migratedDatabaseUrl('postgres');
    log = keepLog();
    const env = { SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const common = { database_url: database.url, clock: roundless, env };
    one = await startGateway({ ...common, log });
    other = await startGateway({ ...common, untouched: true });
    admin = await other.signIn('admin', ADMIN_PASSWORD);
    const { port, username, password } = sshd;
    server_id = (await one.addServer({ port, username, password })).id;
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
    await sshd?.stop();
  });

  let user: Actor;
  let user_id: number;
  beforeEach(async () => {
    people += 1;
    user = await one.user({ username: `person ${people}`, allowed_groups: ['lab'] });
    user_id = Number((await user.call('GET', '/api/auth/me')).body['id']);
  });

  const withdraw = () => admin.call('PUT', `/api/auth/users/${user_id}/groups`, { allowed_groups: [] });

  it('end a terminal when the other withdraws the right to it', async () => {
    const { client } = await shellOn(one, server_id, user);
    expect((await withdraw()).status).toBe(200);
    expect(await client.closed()).toMatchObject({ code: 4009 });
  });

  it('end a terminal when its sign-in is ended at the other', async () => {
    const { client } = await shellOn(one, server_id, user);
    await other.actor(user.token).call('POST', '/api/auth/logout');
    expect(await client.closed()).toMatchObject({ code: 4009 });
  });

  it('end a dial when the other changes the server', async () => {
    const peer = await startSilentPeer();
    const { id } = await one.addServer({ name: 'silent', port: peer.port });
    const client = socketTo(one, `${id}?cols=80&rows=24`, one.admin);
    await peer.connected();
    await admin.call('PUT', `/api/servers/${id}`, { port: 1 });
    expect(await client.closed()).toMatchObject({ code: 4009 });
    await peer.stop();
  });

  it('apply a setting and a name that the other has set', async () => {
    expect((await admin.call('PUT', '/api/settings', { values: { quick_connect: false } })).status).toBe(200);
    await admin.call('PUT', '/api/branding', { app_name: 'Elsewhere' });
    await eventually(async () => {
      expect((await one.anonymous.call('GET', '/api/config')).body).toMatchObject({ quick_connect: false });
      expect((await one.anonymous.call('GET', '/api/branding')).body).toMatchObject({
        app_name: 'Elsewhere',
      });
    });
  });

  it('pass on a status that the other has stored', async () => {
    const events = await openEvents(user);
    await events.until((statuses) => statuses[server_id]?.status === 'unchecked');
    await saveStatus(other, server_id, ONLINE);
    await events.until((statuses) => statuses[server_id]?.status === 'online');
    events.close();
  });

  it('deliver an event that a process without webhook delivery has stored', async () => {
    const receiver = await startWebhookReceiver();
    const hook = { name: 'hook', url: receiver.url(), events: ['server_online'] };
    const { body } = await admin.call('POST', '/api/webhooks', hook);
    const at = new Date().toISOString();
    await one.store.db.insert(one.store.tables.webhook_deliveries).values({
      ...{ webhook_id: Number(body['id']), event: 'server_online', data: {}, status: 'pending', attempts: 0 },
      ...{ fired_at: at, created_at: at, next_attempt_at: at },
    });
    expect(await receiver.hears('/')).toHaveLength(1);
    await receiver.stop();
  });

  it('hear of changes again after their connections for notices were ended', async () => {
    const { client } = await shellOn(one, server_id, user);
    await other.store.batch(() => [
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen %'`,
    ]);
    expect((await withdraw()).status).toBe(200);
    expect(await client.closed()).toMatchObject({ code: 4009 });
    const warnings = log.lines.filter((line) => line.includes('was lost'));
    expect(warnings).toHaveLength(1);
  });
});
