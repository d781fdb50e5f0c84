import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '#core/ports/runtime.ts';
import { systemClock } from '#server/lib/clock.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { shellOn } from '../../support/features/shells.ts';
import { freshAddress, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { ended } from '../../support/gateway/listening.ts';
import { runGateway } from '../../support/gateway/running-gateway.ts';

const CROWD = new URL('../../support/gateway/silent-crowd.mjs', import.meta.url).pathname;
const MIB = 1024;

/** The resident memory of a process. */
function residentKib(pid = 0): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

describe('10,000 silent connections', () => {
  it('leave the gateway answering at once, within bounded memory', async () => {
    const gateway = await runGateway({ SERVICE_SECRET_KEY: 'a secret of the tests of abuse' });
    onTestFinished(gateway.remove);
    const health = async () => {
      const begun_ms = performance.now();
      const { status } = await fetch(`${gateway.url}/api/health`, { headers: { connection: 'close' } });
      return { status, ms: performance.now() - begun_ms };
    };
    await health();
    const before_kib = residentKib(gateway.child.pid);
    const port = new URL(gateway.url).port;
    const crowd = spawn(process.execPath, [CROWD, port, '10000'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void crowd.kill('SIGKILL'));
    await once(crowd.stdout, 'data');
    const { status, ms } = await health();
    expect(status).toBe(200);
    expect(ms).toBeLessThan(1000);
    expect(residentKib(gateway.child.pid) - before_kib).toBeLessThan(300 * MIB);
  });
});

describe('1,000 requests of a byte at a time', () => {
  const SPEED = 20; // Times as fast as the clock.
  const hurried: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / SPEED, run) };
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ clock: hurried, listening: { headers_timeout_ms: 30_000 / SPEED } });
  });
  afterAll(() => gateway?.close());

  /** With its own address; otherwise a limit would refuse it before its body. */
  const login = () =>
    `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${freshAddress()}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"username":"';
  const begun = (i: number) => (i % 2 === 0 ? login() : 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');

  it('time out while other requests are served', async () => {
    const port = Number(new URL(gateway.url).port);
    const sockets = Array.from({ length: 1000 }, (_, i) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end()); // Its refusal.
      socket.write(begun(i));
      return socket;
    });
    const dripping = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x');
    }, 1000 / SPEED);
    const closed = Promise.all(sockets.map(ended));
    const begun_ms = performance.now();
    expect((await gateway.admin.call('GET', '/api/servers')).status).toBe(200);
    expect(performance.now() - begun_ms).toBeLessThan(3000);
    await closed;
    clearInterval(dripping);
  });
});

describe('A busy event loop', () => {
  let host: FileHost;
  beforeAll(async () => {
    host = await startFileHost({ gateway: { env: { SERVICE_DISABLE_MONITOR: 'false' } } });
  });
  afterAll(() => host?.stop());

  it('that blocks for 300 ms every second keeps terminals, transfers and the lease', async () => {
    const { gateway, server } = host;
    let blocks = 0;
    const block = setInterval(() => {
      blocks += 1;
      const until_ms = performance.now() + 300;
      while (performance.now() < until_ms);
    }, 1000);
    onTestFinished(() => clearInterval(block));
    const { client } = await shellOn(gateway, server.id, gateway.admin);
    await host.put('large.bin', Buffer.alloc(4 * 1024 * 1024));
    const path = encodeURIComponent(host.at('large.bin'));
    for (let round = 1; blocks < 3; round += 1) {
      const download = await gateway.admin.fetch(`/api/files/${server.id}/download?path=${path}`);
      expect((await download.arrayBuffer()).byteLength).toBe(4 * 1024 * 1024);
      client.type(`echo r"oun"d ${round}\n`);
      await client.sees(`round ${round}`);
    }
    const { body } = await gateway.anonymous.call('GET', '/api/health');
    expect(body).toMatchObject({ monitor_role: 'leader' });
    client.close(1000);
  });
});

describe('A clock that jumps by an hour', () => {
  const HOUR_MS = 3_600_000;
  let set_ms = 0;
  const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + set_ms) };
  let host: FileHost;
  beforeAll(async () => {
    host = await startFileHost({ gateway: { clock, env: { SERVICE_SESSION_TIMEOUT: '1' } } });
  });
  afterAll(() => host?.stop());

  it.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
  ])('%s ends no session and no active terminal, and breaks no connection', async (_way, by_ms) => {
    set_ms = 0;
    const { gateway, server } = host;
    const { client } = await shellOn(gateway, server.id, gateway.admin);
    const list = { verb: 'ls' as const, query: { path: host.at() } };
    expect((await host.ask(list)).status).toBe(200);
    set_ms = by_ms;
    const until_ms = performance.now() + 1500; // Longer than the idle timeout.
    for (let round = 1; performance.now() < until_ms; round += 1) {
      client.type(`echo r"oun"d ${round}\n`);
      await client.sees(`round ${round}`);
    }
    expect((await host.ask(list)).status).toBe(200);
    client.close(1000);
  });

  it('still ends an idle terminal', async () => {
    const { gateway, server } = host;
    const { client } = await shellOn(gateway, server.id, gateway.admin);
    set_ms = -HOUR_MS;
    expect((await client.closed()).code).toBe(4010);
  });

  it('backwards locks nobody out for longer than a limit lasts', async () => {
    set_ms = HOUR_MS;
    const address = freshAddress();
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      const response = await host.gateway.anonymous.fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ username: `nobody ${address} ${attempts}`, password: 'wrong' }),
      });
      return response.status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) statuses.push(await attempt());
    expect(statuses.at(-1)).toBe(429);
    set_ms = 0;
    expect(await attempt()).toBe(401);
  });
});
