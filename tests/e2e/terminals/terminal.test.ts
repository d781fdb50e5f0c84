import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '#core/model/hosts/server.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { connectedTerminal, openTerminal, type TerminalClient } from '../../support/gateway/ws.ts';
import { startHeldProxy } from '../../support/hosts/held-proxy.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort, startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';

let sshd: Sshd;
let gateway: TestGateway;
let server: Server;

beforeAll(async () => {
  sshd = await startSshd();
  gateway = await startGateway({ env: { SERVICE_SSH_CONNECT_TIMEOUT: '2' } });
  server = await addHost('shell-box');
});
afterAll(async () => {
  await gateway?.close();
  await sshd?.stop();
});

function addHost(name: string, fields: Record<string, unknown> = {}): Promise<Server> {
  const { port, username, password } = sshd;
  return gateway.addServer({ name, port, username, password, ...fields });
}

const urlOf = (id: number, query = '') => `${gateway.url}/api/ws/terminal/${id}${query}`;

function open(id: number, actor: Actor = gateway.admin, query = ''): TerminalClient {
  return openTerminal(urlOf(id, query), { headers: { authorization: `Bearer ${actor.token}` } });
}

async function opened(id = server.id, actor: Actor = gateway.admin): Promise<TerminalClient> {
  const client = open(id, actor, '?cols=80&rows=24');
  await client.frame('session');
  return client;
}

describe('The terminal socket', () => {
  it('opens with a ticket, a header or a token, and speaks sallyport.v1', async () => {
    const { body } = await gateway.admin.call<{ ticket: string }>('POST', '/api/auth/ws-ticket');
    const clients = [
      openTerminal(urlOf(server.id, `?ticket=${body.ticket}`)),
      open(server.id),
      openTerminal(urlOf(server.id, `?token=${gateway.admin.token}`)),
    ];
    for (const client of clients) {
      client.raw.once('open', () => client.send({ type: 'open', cols: 80, rows: 24 }));
      expect(await client.frame('session')).toMatchObject({ offset: 0, server: 'shell-box' });
      expect(client.raw.protocol).toBe('sallyport.v1');
      client.close(1000);
    }
  });

  it('reports the stage when a host is slow', async () => {
    const held = await startHeldProxy(sshd.port);
    const { id } = await addHost('slow-box', { port: held.port });
    const client = open(id, gateway.admin, '?cols=80&rows=24');
    expect(await client.frame('stage')).toEqual({ type: 'stage', stage: 'handshake' });
    held.release();
    await client.frame('session');
    client.close(1000);
    await client.closed();
    await held.stop();
  });

  it('sends a UTF-8 locale to the host, where the host accepts it', async () => {
    const accepting = await startSshd({ config: ['AcceptEnv LANG'] });
    const { id } = await addHost('locale-box', { port: accepting.port });
    const client = await opened(id);
    client.type('echo lang=$LANG=\r');
    await client.sees(/lang=C\.UTF-8=/);
    client.close(1000);
    await client.closed();
    await accepting.stop();
  });

  it('carries a real shell: input is answered', async () => {
    const client = await opened();
    client.type('id -un; echo $((6 * 7))-$TERM\r');
    expect(await client.sees(/42-xterm-256color/)).toContain(sshd.username);
    client.close(1000);
  });

  it('treats text that is not known JSON as keystrokes', async () => {
    const client = await opened();
    client.raw.send('echo {"type":"nothing we know"}\r');
    await client.sees(/type:nothing we know/);
    client.close(1000);
  });

  it('opens 80 by 24 after a second when no size is sent', async () => {
    const client = await connectedTerminal(urlOf(server.id), {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    await client.frame('session');
    client.type('stty size\r');
    await client.sees(/24 80/);
    client.close(1000);
  });

  it('opens with the size of the open frame, and resizes; zero is ignored, too large is clamped', async () => {
    const client = await connectedTerminal(urlOf(server.id), {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    client.send({ type: 'open', cols: 101, rows: 31 });
    await client.frame('session');
    client.type('stty size\r');
    await client.sees(/31 101/);
    client.send({ type: 'resize', cols: 5000, rows: 40 });
    client.send({ type: 'resize', cols: 0, rows: 0 });
    client.send({ type: 'resize', cols: 'wide' });
    client.type('stty size\r');
    await client.sees(/40 1000/);
    client.close(1000);
  });

  it('sends input that was typed before the shell had started', async () => {
    const client = await connectedTerminal(urlOf(server.id), {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    client.type('echo early-$((1 + 1))\r');
    await client.sees(/early-2/);
    client.close(1000);
  });

  it('answers ping with pong', async () => {
    const client = await opened();
    client.send({ type: 'ping' });
    await client.frame('pong');
    client.close(1000);
  });

  it('ends with an exit frame and 1000 when the shell ends', async () => {
    const client = await opened();
    client.type('exit 7\r');
    expect(await client.frame('exit')).toMatchObject({ code: 7, signal: null });
    expect((await client.closed()).code).toBe(1000);
  });

  it('names the signal that ended the shell', async () => {
    const client = await opened();
    client.type('kill -9 $$\r');
    expect(await client.frame('exit')).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('delivers every byte of a large output, in order', async () => {
    const client = await opened();
    client.type("stty -opost -echo; PS1=; printf START; seq 1 300000; printf 'END%s' DONE\r");
    await client.sees(/ENDDONE/);
    const bytes = client.outputBytes();
    const body = bytes.subarray(bytes.lastIndexOf('START') + 5, bytes.lastIndexOf('ENDDONE'));
    const expected = Array.from({ length: 300_000 }, (_, line) => `${line + 1}\n`).join('');
    expect(createHash('sha256').update(body).digest('hex')).toBe(
      createHash('sha256').update(expected).digest('hex'),
    );
    client.close(1000);
  });

  it('closes with 1008 for a known frame with invalid fields', async () => {
    const first = await connectedTerminal(urlOf(server.id), {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    first.send({ type: 'open', cols: 'wide' });
    expect(await first.frame('error')).toMatchObject({ code: 'bad_first_message' });
    expect((await first.closed()).code).toBe(1008);
    const later = await opened();
    later.send({ type: 'answer', answers: 'no list' });
    expect(await later.frame('error')).toMatchObject({ code: 'bad_frame' });
    expect((await later.closed()).code).toBe(1008);
  });

  it('closes with 4004 for an unknown server, or one outside the caller’s groups', async () => {
    expect((await open(999_999).closed()).code).toBe(4004);
    const outsider = await gateway.user({ username: 'outsider', allowed_groups: ['elsewhere'] });
    const client = open(server.id, outsider);
    expect(await client.frame('error')).toMatchObject({ code: 'server_not_found' });
    expect((await client.closed()).code).toBe(4004);
  });

  it('closes with 4003 when SSH is disabled for the server', async () => {
    const disabled = await addHost('no-ssh', { ssh_enabled: false });
    const client = open(disabled.id);
    expect(await client.frame('error')).toMatchObject({ code: 'ssh_disabled' });
    expect((await client.closed()).code).toBe(4003);
  });
});

describe('A change of rights', () => {
  it('ends open terminals with 4009 on logout', async () => {
    const user = await gateway.user({ username: 'logs-out', allowed_groups: ['lab'] });
    const client = await opened(server.id, user);
    await user.call('POST', '/api/auth/logout');
    expect(await client.frame('error')).toMatchObject({ code: 'terminal_ended' });
    expect((await client.closed()).code).toBe(4009);
  });

  it('ends open terminals with 4009 when SSH is disabled or the server is deleted', async () => {
    const host = await addHost('switched-off');
    const first = await opened(host.id);
    await gateway.admin.call('PUT', `/api/servers/${host.id}`, { ssh_enabled: false });
    expect((await first.closed()).code).toBe(4009);
    await gateway.admin.call('PUT', `/api/servers/${host.id}`, { ssh_enabled: true });
    const second = await opened(host.id);
    await gateway.admin.call('DELETE', `/api/servers/${host.id}`);
    expect((await second.closed()).code).toBe(4009);
  });
});

describe('A change of rights during the dial', () => {
  const events: [string, number, (user: Actor, host: Server) => Promise<unknown>][] = [
    ['a logout', 4009, (user) => user.call('POST', '/api/auth/logout')],
    ['SSH switched off', 4009, (_user, { id }) => edit(id, { ssh_enabled: false })],
    ['another port', 4009, (_user, { id }) => edit(id, { port: 1 })],
    ['a deletion', 4009, (_user, { id }) => gateway.admin.call('DELETE', `/api/servers/${id}`)],
  ];

  it.each(events)('%s ends it at once', async (what, code, change) => {
    const peer = await startSilentPeer();
    const host = await addHost(`dialled: ${what}`, { port: peer.port });
    const user = await gateway.user({ username: `dials: ${what}`, allowed_groups: ['lab'] });
    const client = open(host.id, user, '?cols=80&rows=24');
    await peer.connected();
    await change(user, host);
    expect(await client.frame('error')).toMatchObject({ code: 'terminal_ended' });
    expect((await client.closed()).code).toBe(code);
    await peer.stop();
  });

  it('a server moved out of the user’s groups ends their open terminal, not the administrator’s', async () => {
    const host = await addHost('moved');
    const user = await gateway.user({ username: 'left-behind', allowed_groups: ['lab'] });
    const [theirs, ours] = [await opened(host.id, user), await opened(host.id)];
    await edit(host.id, { group: 'elsewhere' });
    expect((await theirs.closed()).code).toBe(4009);
    ours.type('echo still-$((1 + 1))\r');
    await ours.sees(/still-2/);
    ours.close(1000);
  });

  const edit = (id: number, patch: object) => gateway.admin.call('PUT', `/api/servers/${id}`, patch);
});

describe('A hostile client', () => {
  it('is refused when it types without end before the shell has started', async () => {
    const peer = await startSilentPeer();
    const host = await addHost('never there', { port: peer.port });
    const client = await connectedTerminal(urlOf(host.id), {
      headers: { authorization: `Bearer ${gateway.admin.token}` },
    });
    for (let count = 0; count < 5000; count += 1) client.raw.send('x');
    expect(await client.frame('error')).toMatchObject({ code: 'bad_first_message' });
    expect((await client.closed()).code).toBe(1008);
    await peer.stop();
  });
});

describe('A host that fails', () => {
  it('with a wrong password: host_auth_failed at stage auth', async () => {
    const host = await addHost('wrong-password', { password: 'not-the-password' });
    const client = open(host.id, gateway.admin, '?cols=80&rows=24');
    expect(await client.frame('error')).toMatchObject({ code: 'host_auth_failed', stage: 'auth' });
    expect((await client.closed()).code).toBe(1011);
  });

  it('with a closed port: host_unreachable at stage tcp', async () => {
    const host = await addHost('closed', { port: await freePort() });
    const client = open(host.id, gateway.admin, '?cols=80&rows=24');
    expect(await client.frame('error')).toMatchObject({ code: 'host_unreachable', stage: 'tcp' });
  });

  it('with a name that does not resolve: host_unreachable at stage resolve', async () => {
    const host = await addHost('nameless', { hostname: 'no-such-host.invalid' });
    const client = open(host.id, gateway.admin, '?cols=80&rows=24');
    expect(await client.frame('error')).toMatchObject({ code: 'host_unreachable', stage: 'resolve' });
  });

  it('that is silent: connect_timeout within the timeout', async () => {
    const peer = await startSilentPeer();
    const host = await addHost('silent', { port: peer.port });
    const client = open(host.id, gateway.admin, '?cols=80&rows=24');
    expect(await client.frame('error')).toMatchObject({ code: 'connect_timeout', stage: 'handshake' });
    await peer.stop();
  });

  it('that is not an SSH server: ssh_protocol at stage handshake', async () => {
    const peer = await startTalkingPeer('HTTP/1.1 400 Bad Request\r\n\r\n', { hang_up: true });
    const host = await addHost('web', { port: peer.port });
    const client = open(host.id, gateway.admin, '?cols=80&rows=24');
    expect(await client.frame('error')).toMatchObject({ code: 'ssh_protocol', stage: 'handshake' });
    await peer.stop();
  });

  it('during a session: host_disconnected, and the gateway continues', async () => {
    const host = await startSshd();
    const { port, username, password } = host;
    const record = await gateway.addServer({ name: 'doomed', port, username, password });
    const client = await opened(record.id);
    await host.killSessions();
    expect(await client.frame('error')).toMatchObject({ code: 'host_disconnected' });
    expect((await client.closed()).code).toBe(1011);
    expect((await gateway.anonymous.call('GET', '/api/health')).status).toBe(200);
    await host.stop();
  });
});

describe('A private key', () => {
  it.each([
    ['without', 'private_key'],
    ['with', 'encrypted_private_key'],
  ] as const)('%s a passphrase opens a shell', async (_what, field) => {
    const passphrase = field === 'private_key' ? '' : sshd.passphrase;
    const host = await addHost(`key ${field}`, {
      auth_method: 'key',
      password: '',
      private_key: sshd[field],
      passphrase,
    });
    const client = await opened(host.id);
    client.type('echo key-$((2 + 3))\r');
    await client.sees(/key-5/);
    client.close(1000);
  });

  it('is refused at save when its passphrase is wrong', async () => {
    const { status, body } = await gateway.admin.call('POST', '/api/servers', {
      name: 'locked',
      hostname: '127.0.0.1',
      username: 'x',
      auth_method: 'key',
      private_key: sshd.encrypted_private_key,
      passphrase: 'wrong',
    });
    expect({ status, code: body['code'] }).toEqual({ status: 422, code: 'unreadable_private_key' });
  });
});

describe('A jump host', () => {
  it('carries the shell, and each hop pins its own key', async () => {
    const inner_sshd = await startSshd();
    const bastion = await addHost('bastion');
    const { port, username, password } = inner_sshd;
    const inner = await gateway.addServer({
      name: 'inner',
      port,
      username,
      password,
      jump_via_id: bastion.id,
    });
    const client = await opened(inner.id);
    client.type('echo through-$((3 + 3))\r');
    await client.sees(/through-6/);
    client.close(1000);
    const pins = await Promise.all(
      [bastion, inner].map(
        async ({ id }) => (await gateway.admin.call<Server>('GET', `/api/servers/${id}`)).body,
      ),
    );
    expect(pins.map((pinned) => pinned.host_key_fingerprint)).toEqual([
      await sshd.hostFingerprint(),
      await inner_sshd.hostFingerprint(),
    ]);
    await inner_sshd.stop();
  });
});

describe('A stalled browser', () => {
  it('never grows memory: the remote program sleeps, and nothing is lost when the browser reads again', async () => {
    const client = await opened();
    client.type('stty -opost -echo; PS1=; head -c 60000000 /dev/zero | tr "\\0" x; echo STALL-$((40 + 4))\r');
    await client.sees(/xxxxxxxx/);
    client.raw.pause();
    const before = process.memoryUsage().rss;
    await settledRss();
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024);
    client.raw.resume();
    await client.sees(/STALL-44/);
    expect(countOf(client.outputBytes(), 'x')).toBeGreaterThanOrEqual(60_000_000);
    client.close(1000);
  });
});

function countOf(bytes: Buffer, character: string): number {
  const wanted = character.charCodeAt(0);
  let count = 0;
  for (const byte of bytes) if (byte === wanted) count += 1;
  return count;
}

/** Resolves when memory is stable: the flood has filled the stalled socket. */
async function settledRss(): Promise<void> {
  let last = 0;
  for (let same = 0; same < 4; ) {
    const now = Math.round(process.memoryUsage().rss / (4 * 1024 * 1024));
    same = now === last ? same + 1 : 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
