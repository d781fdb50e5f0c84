import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SshTarget } from '#core/ports/ssh.ts';
import type { Address, Tunnel, TunnelOptions } from '#core/ports/tunnels.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';
import { freePort, startProxy, type TcpProxy } from '../../support/hosts/tcp.ts';
import { failureOf, judging, manualClock, NEVER, targetTo, worker } from '../setup.ts';
import { insidesOf } from '../ssh/hostile-login.ts';
import { startDouble } from '../ssh-double.ts';
import { readAll, readText, writeAll, writeRepeatedly } from '../streams.ts';

const MIB = 1024 * 1024;
const FIVE_MINUTES_MS = 5 * 60_000;

let sshd: Sshd;
let proxy: TcpProxy;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd.stop());
beforeEach(async () => {
  proxy = await startProxy(sshd.port);
});
afterEach(() => proxy.stop());

const target = (): SshTarget => targetTo(sshd, { port: proxy.port });

/** A TCP server that ends with the test; each direction of its connections ends by itself. */
async function listen(greet: (socket: Socket) => void): Promise<Address> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    greet(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { hostname: '127.0.0.1', port: (server.address() as AddressInfo).port }; // it listens on TCP
}

/** Resolves with the socket at the other side. */
async function held() {
  let take = (_socket: Socket) => {};
  const taken = new Promise<Socket>((resolve) => {
    take = resolve;
  });
  const to = await listen((socket) => take(socket.resume()));
  return { to, taken };
}

const echo = () => listen((socket) => void socket.pipe(socket));

const open = (to: Address, options: Partial<TunnelOptions> = {}, host = target()): Promise<Tunnel> =>
  worker().tunnels.open(host, to, { signal: NEVER, ...options });

describe('a tunnel', () => {
  it('carries bytes both ways, whole and in order', async () => {
    const { readable, writable, closed } = await open(await echo());
    const content = Buffer.alloc(8 * MIB, 'some content ');
    const [back] = await Promise.all([readAll(readable), writeAll(writable, content)]);
    expect(back.equals(content)).toBe(true);
    await closed;
  });

  it('lets the other side answer after the end of what it was sent', async () => {
    const to = await listen((socket) => {
      let bytes = 0;
      socket.on('data', ({ length }) => {
        bytes += length;
      });
      socket.on('end', () => socket.end(`${bytes} bytes`));
    });
    const { readable, writable, closed } = await open(to);
    await writeAll(writable, Buffer.alloc(3 * MIB));
    expect(await readText(readable)).toBe(`${3 * MIB} bytes`);
    await closed;
  });

  it('still sends after the other side has sent everything', async () => {
    let received = (_text: string) => {};
    const heard = new Promise<string>((resolve) => {
      received = resolve;
    });
    const to = await listen((socket) => {
      socket.end('all');
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes;
      });
      socket.on('end', () => received(text));
    });
    const { readable, writable, closed } = await open(to);
    expect(await readText(readable)).toBe('all');
    await writeAll(writable, Buffer.from('an answer'));
    expect(await heard).toBe('an answer');
    await closed;
  });

  it('makes the other side wait for its reader', async () => {
    let is_sent = false;
    const to = await listen((socket) => {
      socket.end(Buffer.alloc(32 * MIB), () => {
        is_sent = true;
      });
      socket.resume();
    });
    const { readable, writable } = await open(to);
    const reader = readable.getReader();
    await reader.read();
    await readText((await open(await listen((socket) => void socket.end('meanwhile')))).readable);
    expect(is_sent).toBe(false);
    reader.releaseLock();
    expect((await readAll(readable)).length).toBeGreaterThan(28 * MIB);
    await writable.close();
  });

  it('makes its writer wait for the other side', async () => {
    const { to, taken } = await held();
    const { readable, writable } = await open(to);
    const socket = (await taken).pause();
    const { written, done } = writeRepeatedly(writable, Buffer.alloc(MIB), 32);
    await expect.poll(written).toBeGreaterThan(0);
    await readText((await open(await listen((socket) => void socket.end('meanwhile')))).readable);
    expect(written()).toBeLessThan(32);
    socket.on('end', () => socket.end()).resume();
    await done;
    expect(await readText(readable)).toBe('');
  });

  it('tells the host who connects', async () => {
    const { writable, readable } = await open(await echo(), { from: { hostname: '192.0.2.7', port: 4711 } });
    await writable.close();
    await readAll(readable);
    await expect.poll(() => sshd.log()).toContain('originator 192.0.2.7 port 4711');
  });
});

describe('the end of a tunnel', () => {
  it('comes with its signal, at both sides', async () => {
    const { to, taken } = await held();
    const stop = new AbortController();
    const reason = new Error('No longer wanted');
    const { readable, writable, closed } = await open(to, { signal: stop.signal });
    const socket = await taken;
    const ended = once(socket, 'end');
    const reading = readAll(readable);
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(writable.getWriter().write(Buffer.from('late'))).rejects.toBe(reason);
    await Promise.all([ended, closed]);
  });

  it('comes when its writer gives up, at both sides', async () => {
    const { to, taken } = await held();
    const { readable, writable, closed } = await open(to);
    const ended = once(await taken, 'end');
    const reason = new Error('The sender is gone');
    await writable.abort(reason);
    await expect(readAll(readable)).rejects.toBe(reason);
    await Promise.all([ended, closed]);
  });

  it('does not wait for a host that never closes the channel', async () => {
    const double = await startDouble({
      connected(client) {
        client.on('tcpip', (accept) => accept());
        insidesOf(client)._protocol._handlers['CHANNEL_CLOSE'] = () => {};
      },
    });
    const clock = manualClock();
    const [{ tunnels }, stop] = [worker({ clock }), new AbortController()];
    const to = { hostname: '192.0.2.1', port: 80 };
    const { closed } = await tunnels.open(double.target(), to, { signal: stop.signal });
    stop.abort(new Error('No longer wanted'));
    await closed;
    clock.advance(FIVE_MINUTES_MS);
    await expect.poll(() => double.clients.size).toBe(0);
  });

  it('comes when the other side resets the connection', async () => {
    const { to, taken } = await held();
    const { readable, writable, closed } = await open(to);
    (await taken).resetAndDestroy();
    expect(await readText(readable)).toBe('');
    await writable.close().catch(() => {}); // the host may have closed the channel already
    await closed;
  });

  it('comes with a Fault when the line breaks, for all who read and write', async () => {
    const { readable, writable, closed } = await open((await held()).to);
    const reading = failureOf(readAll(readable));
    proxy.cut();
    expect(await reading).toMatchObject({ code: 'host_disconnected' });
    expect(await failureOf(writable.getWriter().write(Buffer.from('late')))).toMatchObject({
      code: 'host_disconnected',
    });
    await closed;
  });

  it('comes when the server is dropped', async () => {
    const { files, tunnels } = worker();
    const { readable, closed } = await tunnels.open(target(), (await held()).to, { signal: NEVER });
    files.drop(1);
    expect(await failureOf(readAll(readable))).toMatchObject({ code: 'host_disconnected' });
    await closed;
    await proxy.idle();
  });
});

describe('a tunnel is refused', () => {
  it('with permission_denied by a host that does not forward', async () => {
    const strict = await startSshd({ config: ['AllowTcpForwarding no'] });
    const { hostname, port } = await echo();
    expect(await failureOf(open({ hostname, port }, {}, targetTo(strict)))).toMatchObject({
      code: 'permission_denied',
      detail: `web-1 does not allow forwarding to ${hostname}:${port}`,
    });
    await strict.stop();
  });

  it('with host_unreachable when nobody listens', async () => {
    const port = await freePort();
    expect(await failureOf(open({ hostname: '127.0.0.1', port }))).toMatchObject({
      code: 'host_unreachable',
      detail: `web-1 cannot reach 127.0.0.1:${port}`,
    });
  });

  it('with host_unreachable when the host cannot resolve the name', async () => {
    expect(await failureOf(open({ hostname: 'nobody.invalid', port: 80 }))).toMatchObject({
      code: 'host_unreachable',
    });
  });

  it('with the reason of its signal while the host is dialled', async () => {
    const stop = new AbortController();
    const reason = new Error('No longer wanted');
    const host_keys = judging(() => {
      stop.abort(reason);
      return new Promise(() => {});
    });
    const opening = worker({ host_keys }).tunnels.open(target(), await echo(), { signal: stop.signal });
    await expect(opening).rejects.toBe(reason);
  });
});

describe('the connection of a tunnel', () => {
  it('is shared with file sessions and other tunnels', async () => {
    const { files, tunnels } = worker();
    const to = await echo();
    await tunnels.open(target(), to, { signal: NEVER });
    await (await files.open(target())).list('/');
    await Promise.all(Array.from({ length: 20 }, () => tunnels.open(target(), to, { signal: NEVER })));
    expect(proxy.accepted()).toBe(1);
  });

  it('survives a slow line, however much all tunnels would send', async () => {
    const { tunnels } = worker();
    const to = await listen((socket) => socket.resume().on('end', () => socket.end()));
    const all = await Promise.all(
      Array.from({ length: 18 }, () => tunnels.open(target(), to, { signal: NEVER })),
    );
    const resume = proxy.stall();
    const writes = all.map(({ writable }) => writeAll(writable, Buffer.alloc(2 * MIB)));
    await readText((await open(await listen((socket) => void socket.end('meanwhile')))).readable);
    resume();
    await Promise.all(writes);
    expect(await Promise.all(all.map(({ readable }) => readText(readable)))).toEqual(all.map(() => ''));
  });

  it('needs no SFTP', async () => {
    const bare = await startSshd({ sftp: null });
    const own = worker();
    const { readable, writable } = await own.tunnels.open(targetTo(bare), await echo(), { signal: NEVER });
    expect(await failureOf(own.files.open(targetTo(bare)))).toMatchObject({ code: 'sftp_unavailable' });
    await writeAll(writable, Buffer.from('still here'));
    expect(await readText(readable)).toBe('still here');
    await bare.stop();
  });

  it('stays open with the tunnel, and closes five minutes after it', async () => {
    const clock = manualClock();
    const own = worker({ clock });
    const { readable, writable, closed } = await own.tunnels.open(target(), await echo(), { signal: NEVER });
    clock.advance(2 * FIVE_MINUTES_MS);
    await writeAll(writable, Buffer.from('still here'));
    expect(await readText(readable)).toBe('still here');
    await closed;
    clock.advance(FIVE_MINUTES_MS);
    await proxy.idle();
  });

  it('is left by a tunnel that was refused', async () => {
    const clock = manualClock();
    const { tunnels } = worker({ clock });
    const nobody = { hostname: '127.0.0.1', port: await freePort() };
    await failureOf(tunnels.open(target(), nobody, { signal: NEVER }));
    clock.advance(FIVE_MINUTES_MS);
    await proxy.idle();
  });

  it('is replaced within three seconds when the line drops all packets', async () => {
    const clock = manualClock();
    const { tunnels } = worker({ clock });
    const to = await echo();
    await tunnels.open(target(), to, { signal: NEVER });
    proxy.freeze();
    clock.advance(1000);
    const opening = tunnels.open(target(), to, { signal: NEVER });
    await new Promise(setImmediate);
    clock.advance(3000);
    await opening;
    expect(proxy.accepted()).toBe(2);
  });

  it('is kept while the host answers', async () => {
    const clock = manualClock();
    const { tunnels } = worker({ clock });
    const to = await echo();
    for (const _ of Array(3)) {
      await tunnels.open(target(), to, { signal: NEVER });
      clock.advance(60_000);
    }
    expect(proxy.accepted()).toBe(1);
  });
});
