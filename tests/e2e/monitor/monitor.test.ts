import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { UNCHECKED } from '#core/model/hosts/server-status.ts';
import {
  DIALECTS,
  type FreshDatabase,
  migratedDatabaseUrl,
  silent as quiet,
} from '../../support/databases/stores.ts';
import {
  isChecked,
  isOnline,
  openEvents,
  statusOf,
  untilRounds,
  untilStatus,
} from '../../support/features/statuses.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type Blackhole, startBlackhole } from '../../support/hosts/blackhole.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort, type Peer, startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';

const MONITOR = {
  SERVICE_DISABLE_MONITOR: 'false',
  SERVICE_MONITOR_INTERVAL: '1',
  SERVICE_MONITOR_TIMEOUT: '8', // a busy machine is no host that does not answer
};
const ANOTHER_KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

let sshd: Sshd;
let two_steps: Sshd;
let unasked: Sshd;
let silent: Peer;
let stranger: Peer;
let blackhole: Blackhole;
let closed: number;

beforeAll(async () => {
  sshd = await startSshd();
  two_steps = await startSshd({ config: ['AuthenticationMethods publickey,password'] });
  unasked = await startSshd();
  silent = await startSilentPeer();
  stranger = await startTalkingPeer('HTTP/1.1 400 Bad Request\r\n\r\n', { hang_up: true });
  blackhole = await startBlackhole();
  closed = await freePort();
});
afterAll(async () => {
  await Promise.all([sshd, two_steps, unasked, silent, stranger, blackhole].map((host) => host?.stop()));
});

interface Case {
  readonly online: boolean;
  /** Instead of `offline`. */
  readonly unchecked?: boolean;
  readonly error?: RegExp;
}

/** The expected status of each server that `register` creates. */
const CASES: Readonly<Record<string, Case>> = {
  'right password': { online: true },
  'right key': { online: true },
  'behind a bastion': { online: true },
  'second step': { online: true },
  'typed at connect': { online: true },
  'nothing stored': { online: true },
  'closed port': { online: false, error: /refused/i },
  'silent listener': { online: false, error: /was not ready within 8 s/ },
  blackhole: { online: false, error: /was not ready within 8 s/ },
  'no SSH': { online: false, error: /SSH/ },
  'no such name': { online: false, error: /no-such-host\.invalid/ },
  'wrong password': { online: false, error: /refused|password/i },
  'changed key': { online: false, error: /host key .* not the one that was pinned/ },
  'behind a dead bastion': { online: false, error: /^Not reached: its jump host closed port is offline$/ },
  'behind that one': {
    online: false,
    error: /^Not reached: its jump host behind a dead bastion is offline$/,
  },
  'behind one that asks': {
    online: false,
    unchecked: true,
    error: /^Not checked: its jump host typed at connect /,
  },
  'unreadable credential': { online: false, error: /unreadable credential.*decrypt/ },
};

describe.each(DIALECTS)('The monitor (%s)', (dialect) => {
  let database: FreshDatabase;
  let gateway: TestGateway; // The gateway where servers are registered; it does not check them.
  let watcher: TestGateway;
  const servers: Record<string, Server> = {};

  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    gateway = await startGateway({ database_url: database.url });
    await register();
    watcher = await startGateway({ database_url: database.url, env: MONITOR, untouched: true });
  });
  afterAll(async () => {
    await watcher?.close();
    await gateway?.close();
    await database?.cleanup();
  });

  async function register(): Promise<void> {
    const add = async (name: string, fields: Parameters<TestGateway['addServer']>[0]) => {
      servers[name] = await gateway.addServer({ name, ...fields });
    };
    const { port, username, password, private_key } = sshd;
    const right = { port, username, password };
    await add('right password', right);
    await add('right key', { port, username, auth_method: 'key', private_key });
    await add('behind a bastion', { ...right, jump_via_id: idOf('right password') });
    await add('second step', {
      port: two_steps.port,
      username,
      auth_method: 'key',
      private_key: two_steps.private_key,
    });
    await add('typed at connect', { port: unasked.port, auth_method: 'prompt' });
    await add('nothing stored', { port: unasked.port });
    await add('closed port', { port: closed, password });
    await add('silent listener', { port: silent.port, password });
    await add('blackhole', { port: blackhole.port, password });
    await add('no SSH', { port: stranger.port, password });
    await add('no such name', { hostname: 'no-such-host.invalid', password });
    await add('wrong password', { port, username, password: 'wrong' });
    await add('changed key', right);
    await add('behind a dead bastion', { ...right, jump_via_id: idOf('closed port') });
    await add('behind that one', { ...right, jump_via_id: idOf('behind a dead bastion') });
    await add('behind one that asks', { ...right, jump_via_id: idOf('typed at connect') });
    await add('unreadable credential', right);
    const change = ({ db, tables }: TestGateway['store'], id: number, fields: object) =>
      db.update(tables.servers).set(fields).where(eq(tables.servers.id, id));
    const pin = { host_key: ANOTHER_KEY, host_key_fingerprint: 'SHA256:another' };
    await change(gateway.store, idOf('changed key'), pin);
    await change(gateway.store, idOf('unreadable credential'), { password_sealed: 'v2:00:of-another-key' });
  }

  function idOf(name: string): number {
    const server = servers[name];
    if (!server) throw new Error(`No server named ${name}`);
    return server.id;
  }

  // A busy host may miss the time-out; each is checked again every second.
  it.each(Object.entries(CASES))('detects: %s', async (name, { online, unchecked, error }) => {
    const status = await untilStatus(gateway.admin, idOf(name), ({ status, error: told }) =>
      online ? status === 'online' : Boolean(told && error?.test(told)),
    );
    expect(status).toMatchObject({
      status: online ? 'online' : unchecked ? 'unchecked' : 'offline',
      error: error ? expect.stringMatching(error) : null,
    });
    if (online) expect(status).toMatchObject({ latency_ms: expect.any(Number) });
    expect(status).not.toHaveProperty('host_key_verified');
  });

  it('checks all servers repeatedly, whatever one of them does', async () => {
    const rounds = Object.values(servers).map(({ id }) => untilRounds(gateway.admin, id, 2));
    await Promise.all(rounds);
    expect((await statusOf(gateway.admin, idOf('right password'))).status).toBe('online');
  });

  it('pins the host key at first contact', async () => {
    const { body } = await gateway.admin.call<Server>('GET', `/api/servers/${idOf('right password')}`);
    expect(body.host_key_fingerprint).toBe(await sshd.hostFingerprint());
  });

  it('does not authenticate where nothing is stored', async () => {
    await untilStatus(gateway.admin, idOf('nothing stored'), isOnline);
    await untilStatus(gateway.admin, idOf('typed at connect'), isOnline);
    expect(unasked.log()).toContain('SSH2_MSG_NEWKEYS received');
    expect(unasked.log()).not.toContain('userauth-request');
  });

  it('pushes its results to listeners at every instance', async () => {
    const id = idOf('right password');
    const events = await openEvents(gateway.admin);
    const first = await events.next();
    const next = await events.until((statuses) => id in statuses);
    expect(next[id]?.last_checked).not.toBe(first?.[id]?.last_checked);
    events.close();
  });

  it('reports that a host went away and came back', async () => {
    const guest = await startSshd();
    const { port, username, password } = guest;
    const { id } = await gateway.addServer({ name: 'guest', port, username, password });
    await untilStatus(gateway.admin, id, isOnline);
    await guest.stop();
    const gone = await untilStatus(gateway.admin, id, ({ status }) => status === 'offline');
    expect(gone).toMatchObject({ latency_ms: null, error: expect.stringMatching(/refused/i) });
    await gateway.admin.call('PUT', `/api/servers/${id}`, { port: sshd.port });
    await untilStatus(gateway.admin, id, isOnline);
  });
});

// Each waits with its own gateway.
describe.concurrent('A monitor', () => {
  it('checks a new server within seconds, however long the interval', async () => {
    const env = { ...MONITOR, SERVICE_MONITOR_INTERVAL: '3600' };
    const gateway = await startGateway({ env });
    const { port, username, password } = sshd;
    const { id } = await gateway.addServer({ port, username, password });
    const seen = await untilStatus(gateway.admin, id, isOnline);
    const added = await gateway.addServer({ name: 'later', port, username, password });
    await untilStatus(gateway.admin, added.id, isOnline);
    expect(await statusOf(gateway.admin, id)).toEqual(seen); // It is not due yet.
    await gateway.close();
  });

  it('stores nothing about a server that was edited during its check, and checks it again', async () => {
    const env = { ...MONITOR, SERVICE_MONITOR_INTERVAL: '3600', SERVICE_MONITOR_TIMEOUT: '10' };
    const gateway = await startGateway({ env });
    const { username, password } = sshd;
    const { id } = await gateway.addServer({ port: silent.port, username, password });
    await silent.connected();
    await gateway.admin.call('PUT', `/api/servers/${id}`, { port: sshd.port });
    const status = await untilStatus(gateway.admin, id, isChecked);
    expect(status).toMatchObject({ status: 'online', error: null });
    await gateway.close();
  });

  it('that is disabled stays a follower and leaves every server unchecked', async () => {
    const off = await startGateway({ env: { ...MONITOR, SERVICE_DISABLE_MONITOR: 'true' } });
    const on = await startGateway({ env: MONITOR });
    const { port, username, password } = sshd;
    const fields = { port, username, password };
    const here = await off.addServer(fields);
    await untilStatus(on.admin, (await on.addServer(fields)).id, isChecked);
    expect((await off.anonymous.call('GET', '/api/health')).body['monitor_role']).toBe('follower');
    expect(await statusOf(off.admin, here.id)).toEqual(UNCHECKED);
    await Promise.all([off.close(), on.close()]);
  });

  it('stops at once in the middle of a round', async () => {
    const held = await startSilentPeer();
    const env = { ...MONITOR, SERVICE_MONITOR_TIMEOUT: '600' };
    const complaints: string[] = [];
    const complain = (_fields: object, message: string) => void complaints.push(message);
    const gateway = await startGateway({ env, log: { ...quiet, warn: complain, error: complain } });
    await gateway.addServer({ port: held.port, password: 'any' });
    await held.connected();
    await gateway.close();
    await held.idle();
    await held.stop();
    expect(complaints).toEqual([]);
  });
});
