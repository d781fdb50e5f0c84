import { inspect } from 'node:util';
import { isNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Log } from '#core/ports/runtime.ts';
import { socketTo } from '../../support/features/shells.ts';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { IS_BALANCED } from '../../support/gateway/is-balanced.ts';
import { connectedTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';
import { withRounds } from '../../worker/ssh/keys/key-files.ts';

let sshd: Sshd;
let gateway: TestGateway;
const logged: string[] = [];
const write = (fields: object, message: string) => void logged.push(`${message} ${inspect(fields)}`);
const log: Log = { debug: write, info: write, warn: write, error: write };

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway({ env: { SERVICE_ALLOWED_TARGETS: '127.0.0.0/30, ::1' }, log });
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

interface Pin {
  readonly id: number;
  readonly hostname: string;
  readonly port: number;
  readonly fingerprint: string;
}

async function quick(open: object, { actor = gateway.admin, on = gateway } = {}) {
  const url = `${on.url}/api/ws/terminal/quick`;
  const client = await connectedTerminal(url, { headers: { authorization: `Bearer ${actor.token}` } });
  client.send({ type: 'open', cols: 80, rows: 24, ...open });
  return client;
}

const target = (change: object = {}) => {
  const { port, username, password } = sshd;
  return { host: '127.0.0.1', port, username, password, ...change };
};
const pins = async (actor = gateway.admin) =>
  (await actor.call<Pin[]>('GET', '/api/terminal/host-keys')).body;

describe('Quick connect', () => {
  it('opens a shell on a host that is not registered, pins its key for this user and shows it', async () => {
    const client = await quick(target());
    const fingerprint = await sshd.hostFingerprint();
    expect(await client.frame('session')).toMatchObject({ host_key: { fingerprint, is_new: true } });
    client.type('echo quick-$((1 + 1))\r');
    await client.sees(/quick-2/);
    client.close(1000);
    const again = await quick(target());
    expect(await again.frame('session')).toMatchObject({ host_key: { fingerprint, is_new: false } });
    again.close(1000);
    expect(await pins()).toMatchObject([{ hostname: '127.0.0.1', port: sshd.port, fingerprint }]);
    const other = await gateway.user({ username: 'another' });
    expect(await pins(other)).toEqual([]);
  });

  it('accepts a private key with its passphrase', async () => {
    const { encrypted_private_key: private_key, passphrase } = sshd;
    const client = await quick(target({ password: undefined, private_key, passphrase }));
    await client.frame('session');
    client.close(1000);
  });

  it('sends a key and then the password to a host that asks for both', async () => {
    const careful = await startSshd({ config: ['AuthenticationMethods publickey,password'] });
    onTestFinished(careful.stop);
    const { port, private_key, password } = careful;
    const client = await quick(target({ port, private_key, password }));
    await client.frame('session');
    client.close(1000);
  });

  it('prompts only for what was not sent', async () => {
    const client = await quick(target({ password: undefined }));
    expect(await client.frame('prompt')).toMatchObject({
      instructions: `Sign in to ${sshd.username}@127.0.0.1:${sshd.port}`,
      prompts: [{ text: 'Password', echo: false }],
    });
    client.send({ type: 'answer', answers: [sshd.password] });
    await client.frame('session');
    client.close(1000);
  });

  it('accepts exactly the new key that its user has accepted', async () => {
    const client = await quick(target());
    await client.frame('session');
    client.close(1000);
    const { db, tables } = gateway.store;
    await db.update(tables.quick_host_keys).set({ host_key: 'AAAA', fingerprint: 'SHA256:other' });
    const refused = await quick(target());
    const { presented_host_key: host_key } = await refused.frame('error');
    const pin = (await pins()).find(({ port }) => port === sshd.port);
    const path = `/api/terminal/host-keys/${pin?.id}`;
    const stranger = await gateway.user({ username: 'stranger' });
    expect((await stranger.call('PUT', path, { host_key })).status).toBe(404);
    expect((await gateway.admin.call('PUT', path, { host_key: 'no key' })).status).toBe(422);
    expect((await gateway.admin.call('PUT', path, { host_key })).body).toMatchObject({
      fingerprint: await sshd.hostFingerprint(),
    });
    const trusted = await quick(target());
    expect(await trusted.frame('session')).toMatchObject({ host_key: { is_new: false } });
    trusted.close(1000);
  });

  it('refuses a changed key, until its user forgets the pinned one', async () => {
    const client = await quick(target());
    await client.frame('session');
    client.close(1000);
    const { db, tables } = gateway.store;
    await db.update(tables.quick_host_keys).set({ host_key: 'AAAA', fingerprint: 'SHA256:other' });
    const refused = await quick(target());
    expect(await refused.frame('error')).toMatchObject({ code: 'host_key_changed', stage: 'host_key' });
    expect((await refused.closed()).code).toBe(1011);
    const pin = (await pins()).find(({ port }) => port === sshd.port);
    expect((await gateway.admin.call('DELETE', `/api/terminal/host-keys/${pin?.id}`)).status).toBe(204);
    expect((await gateway.admin.call('DELETE', `/api/terminal/host-keys/${pin?.id}`)).status).toBe(404);
    const anew = await quick(target());
    expect(await anew.frame('session')).toMatchObject({ host_key: { is_new: true } });
    anew.close(1000);
  });

  it.each([
    ['an address outside', '127.0.0.9'],
    ['another spelling of it', '2130706441'],
    ['the same in IPv6', '::ffff:127.0.0.9'],
  ])('refuses %s of SERVICE_ALLOWED_TARGETS with 4003', async (_what, host) => {
    const client = await quick(target({ host }));
    expect(await client.frame('error')).toMatchObject({ code: 'target_not_allowed', stage: 'tcp' });
    expect((await client.closed()).code).toBe(4003);
  });

  it.each([
    ['keys', 'echo hello'],
    ['another frame', '{"type":"ping"}'],
    ['no host', '{"type":"open","username":"x"}'],
    ['a bad port', '{"type":"open","host":"h","username":"x","port":70000}'],
    ['a line break in the name', '{"type":"open","host":"h","username":"x\\ny"}'],
  ])('requires an `open` frame first: %s is 1008', async (_what, text) => {
    const url = `${gateway.url}/api/ws/terminal/quick`;
    const client = await connectedTerminal(url, {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    client.raw.send(text);
    expect(await client.frame('error')).toMatchObject({ code: 'bad_first_message' });
    expect((await client.closed()).code).toBe(1008);
  });

  // Each instance takes its own turns at a host.
  it.skipIf(IS_BALANCED)('keeps nobody else from using private keys, whatever keys it is sent', async () => {
    const actor = await gateway.user({ username: 'impatient' });
    const { encrypted_private_key, passphrase } = sshd;
    const private_key = withRounds(encrypted_private_key, 256); // takes seconds to decrypt
    const fields = (number: number) => target({ password: undefined, private_key, passphrase: `${number}` });
    const clients = await Promise.all([1, 2, 3, 4].map((number) => quick(fields(number), { actor })));
    const isReading = ({ frames }: (typeof clients)[0]) => frames.some(({ stage }) => stage === 'auth');
    await expect.poll(() => clients.filter(isReading).length).toBe(2); // the others wait for a turn at the host
    const refused = Promise.race(clients.map((client) => client.frame('error')));
    const saved = gateway.admin.call('POST', '/api/servers', {
      ...{ name: 'key', hostname: '127.0.0.1', username: 'x', auth_method: 'key' },
      ...{ private_key: encrypted_private_key, passphrase },
    });
    expect(await Promise.race([saved, refused])).toMatchObject({ status: 201 });
    for (const client of clients) client.close(1000);
  });

  it('stores no secret: neither in the log nor in the list of sessions', async () => {
    const secret = 'a password of nobody';
    const client = await quick(target({ password: secret }));
    expect(await client.frame('error')).toMatchObject({ code: 'host_auth_failed' });
    const audit = await gateway.admin.fetch('/api/auth/audit?limit=500');
    const text = await audit.text();
    expect(text).toContain(`quick connect to ${sshd.username}@127.0.0.1:${sshd.port}`);
    expect(text).not.toContain(secret);
  });
});

describe('Quick connect without SERVICE_ALLOWED_TARGETS', () => {
  let open: TestGateway;
  beforeAll(async () => {
    open = await startGateway({ env: { SERVICE_ALLOWED_TARGETS: '' } });
  });
  afterAll(() => open?.close());

  it.each(['127.0.0.1', 'localhost', '0.0.0.0', '::1', '::ffff:127.0.0.1', '2130706433', '169.254.169.254'])(
    'refuses %s with 4003',
    async (host) => {
      const client = await quick(target({ host }), { on: open, actor: open.admin });
      expect(await client.frame('error')).toMatchObject({ code: 'target_not_allowed', stage: 'tcp' });
      expect((await client.closed()).code).toBe(4003);
    },
  );

  it('leaves registered servers alone', async () => {
    const { port, username, password } = sshd;
    const { id } = await open.addServer({ port, username, password });
    const client = socketTo(open, String(id), open.admin);
    await client.frame('session');
    client.close(1000);
  });
});

describe('The quick connects of a user', () => {
  it('are at most 4 at once, until their shells are open', async () => {
    const actor = await gateway.user({ username: 'patient' });
    const { db, tables } = gateway.store;
    const rows = db
      .select()
      .from(tables.terminal_sessions)
      .where(isNull(tables.terminal_sessions.started_at));
    const peer = await startSilentPeer();
    const pending = await Promise.all(
      Array.from({ length: 4 }, () => quick(target({ port: peer.port }), { actor })),
    );
    await vi.waitFor(async () => expect(await rows).toHaveLength(4));
    const fifth = await quick(target(), { actor });
    expect(await fifth.frame('error')).toMatchObject({ code: 'too_many_dials' });
    expect((await fifth.closed()).code).toBe(4008);
    const another = await quick(target(), { actor: await gateway.user({ username: 'unconcerned' }) });
    await another.frame('session');
    another.close(1000);
    for (const client of pending) client.close(1000);
    await peer.idle();
    await vi.waitFor(async () => expect(await rows).toEqual([]));
    const again = await quick(target(), { actor });
    await again.frame('session');
    again.close(1000);
    await peer.stop();
  });

  it('are at most 30 a minute, whatever became of them', async () => {
    const actor = await gateway.user({ username: 'scanner' });
    for (let dials = 0; dials < 30; dials += 1) {
      const client = await quick(target({ host: '127.0.0.9' }), { actor });
      expect(await client.frame('error')).toMatchObject({ code: 'target_not_allowed' });
    }
    const refused = await quick(target(), { actor });
    expect(await refused.frame('error')).toMatchObject({ code: 'too_many_dials' });
    expect((await refused.closed()).code).toBe(4008);
  });
});

describe('A service that is not SSH', () => {
  it('is quoted neither to the user, nor in the audit log, nor in the log', async () => {
    const secret = 'greeting-of-an-inner-service';
    const peer = await startTalkingPeer(`220 ${secret}\r\n`, { hang_up: true });
    const client = await quick(target({ port: peer.port }));
    await client.closed();
    await peer.stop();
    expect(JSON.stringify(client.frames)).toContain('does not answer as an SSH server');
    const audit = await gateway.admin.fetch('/api/auth/audit?limit=500');
    for (const text of [JSON.stringify(client.frames), await audit.text(), logged.join('\n')]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('Quick connect that is disabled', () => {
  it('is refused with 4003, and the page knows', async () => {
    const off = await startGateway({ env: { SERVICE_QUICK_CONNECT: 'false' } });
    const client = socketTo(off, 'quick', off.admin);
    expect(await client.frame('error')).toMatchObject({ code: 'quick_connect_disabled' });
    expect((await client.closed()).code).toBe(4003);
    expect((await off.anonymous.call('GET', '/api/config')).body).toMatchObject({ quick_connect: false });
    await off.close();
  });
});
