import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Listener } from '#server/http/listen.ts';
import { ask, ended, listenWith, silentConnection } from '../../support/gateway/listening.ts';

const fine = () => new Response('fine');
const LIMITS = { most: 20, most_of_one_peer: 10, isProxy: () => false };

describe('A server with too many connections', () => {
  let listener: Listener;
  let open: Socket[] = [];
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    open = [];
    await listener.close();
  });

  async function silent(count: number, from?: string): Promise<Socket[]> {
    const sockets: Socket[] = [];
    for (let i = 0; i < count; i += 1) sockets.push(await silentConnection(listener.port, from));
    open.push(...sockets);
    return sockets;
  }
  const isAnswered = async () => (await ask(listener.port)).response.statusCode === 200;

  it('closes the idle connection of the same address that has waited longest for a request', async () => {
    listener = await listenWith(fine, { limits: LIMITS });
    const [first, second] = await silent(10);
    expect(await isAnswered()).toBe(true);
    if (first) await ended(first);
    expect(second?.destroyed).toBe(false);
  });

  it('closes the one that has waited longest when all addresses together have too many', async () => {
    listener = await listenWith(fine, { limits: LIMITS });
    const [first] = await silent(10, '127.0.0.2');
    await silent(10, '127.0.0.3');
    expect(await isAnswered()).toBe(true);
    if (first) await ended(first);
  });

  it('refuses a new connection rather than closing one with a request in progress', async () => {
    const held: (() => void)[] = [];
    const slow = () => new Promise<Response>((resolve) => held.push(() => resolve(fine())));
    listener = await listenWith(slow, { limits: LIMITS });
    const asked = Array.from({ length: 10 }, () => ask(listener.port));
    await expect.poll(() => held.length).toBe(10);
    const [refused] = await silent(1);
    if (refused) await ended(refused);
    for (const answer of held) answer();
    const statuses = (await Promise.all(asked)).map(({ response }) => response.statusCode);
    expect(statuses).toEqual(Array(10).fill(200));
  });

  it('first closes those that have their response and keep sending', async () => {
    listener = await listenWith(fine, { limits: LIMITS });
    const unfinished = await silent(9);
    for (const socket of unfinished)
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nx');
    await Promise.all(unfinished.map((socket) => once(socket, 'data'))); // Their responses.
    const [waiting] = await silent(1);
    expect(await isAnswered()).toBe(true);
    if (unfinished[0]) await ended(unfinished[0]);
    expect(waiting?.destroyed).toBe(false);
  });

  it('accepts connections again once requests are answered', async () => {
    listener = await listenWith(fine, { limits: LIMITS });
    for (let i = 0; i < 30; i += 1) expect(await isAnswered()).toBe(true);
  });

  it('allows a trusted proxy more connections than a single address', async () => {
    listener = await listenWith(fine, { limits: { ...LIMITS, isProxy: () => true } });
    const sockets = await silent(19);
    expect(await isAnswered()).toBe(true);
    expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
  });
});

describe('A stalled connection', () => {
  let listener: Listener;
  afterEach(() => listener.close());

  it.each([
    ['nothing', ''],
    ['half a request line', 'GET / HT'],
    ['headers without an end', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  ])('is closed after the header timeout when it sends %s', async (_what, begin) => {
    listener = await listenWith(fine, { headers_timeout_ms: 300 });
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(begin);
    const dripping = begin === '' ? undefined : setInterval(() => socket.write('x'), 50);
    socket.on('error', () => undefined).resume();
    await ended(socket);
    clearInterval(dripping);
  });
});
