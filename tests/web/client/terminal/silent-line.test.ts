import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { established, FakeSocket, openLink, session, settle } from './link-double.ts';

const text = (value: string) => new TextEncoder().encode(value);
const pings = (socket: FakeSocket) => socket.said().filter((frame) => JSON.stringify(frame).includes('ping'));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The next socket, whose gateway has taken this much of the input. */
async function resumedAt(input_bytes: number | undefined): Promise<FakeSocket> {
  const before = FakeSocket.last;
  for (let turns = 0; FakeSocket.last === before && turns < 100; turns += 1)
    await vi.advanceTimersByTimeAsync(200);
  FakeSocket.last.open();
  FakeSocket.last.say(session(input_bytes === undefined ? {} : { input_bytes }));
  return FakeSocket.last;
}

describe('a line that does not answer a key', () => {
  it('is asked for a sign of life within 2 s, is told after 3 s, and is given up 10 s after it was asked', async () => {
    const { link, socket, silences, states } = await established();
    link.input('x');
    await vi.advanceTimersByTimeAsync(2000);
    expect([pings(socket), silences]).toEqual([[{ type: 'ping' }], []]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(silences).toEqual([Date.now() - 3000]);
    await vi.advanceTimersByTimeAsync(9000);
    expect(states.some(({ kind }) => kind === 'reconnecting')).toBe(true);
    expect(silences.at(-1)).toBeUndefined();
  });

  it('is no longer silent once anything arrives, such as the answer of a host without echo', async () => {
    const { link, socket, silences } = await established();
    link.input('secret');
    await vi.advanceTimersByTimeAsync(2000);
    socket.say({ type: 'pong', input_bytes: 6 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(silences).toEqual([]);
  });

  it('is replaced at once on request, and what was typed is sent once', async () => {
    const { link, socket } = await established();
    link.input('abc');
    await vi.advanceTimersByTimeAsync(3000);
    link.reconnectNow();
    await settle();
    expect(socket.closed_with).toBe(3001);
    const next = FakeSocket.last;
    next.open();
    next.say(session({ input_bytes: 1 }));
    expect(next.said()).toEqual([text('bc')]);
  });
});

describe('a host that takes no input', () => {
  /** The gateway answers once a second, and has given the shell this much. */
  async function answered(socket: FakeSocket, ...counts: number[]): Promise<void> {
    for (const input_bytes of counts) {
      await vi.advanceTimersByTimeAsync(1000);
      socket.say({ type: 'pong', input_bytes });
    }
  }

  it('is reported after 3 s with the bytes that wait, until it goes on', async () => {
    const { link, socket, silences, unread } = await established();
    link.input('x'.repeat(100));
    await answered(socket, 40, 40, 40);
    expect(unread).toEqual([]);
    await answered(socket, 40, 40);
    expect(unread).toEqual([60]);
    await answered(socket, 100);
    expect([unread, silences]).toEqual([[60, undefined], []]);
  });

  it('is not reported while it takes a little at a time', async () => {
    const { link, socket, unread } = await established();
    link.input('x'.repeat(100));
    await answered(socket, 10, 10, 20, 20, 30, 30, 40);
    expect(unread).toEqual([]);
  });
});

describe('input that was sent before a connection dropped', () => {
  it('is sent again from where the shell has it', async () => {
    const { link, socket, losses } = await established();
    link.input('one');
    socket.end(1006);
    link.input('two');
    const next = await resumedAt(2);
    expect(next.said()).toEqual([text('e'), text('two')]);
    expect(losses).toEqual([]);
  });

  it('is not sent again by a gateway that does not know the client, and is reported', async () => {
    const { link, socket, losses } = await established();
    link.input('rm x');
    socket.end(1006);
    const next = await resumedAt(undefined);
    expect(next.said()).toEqual([]);
    expect(losses).toEqual([{ bytes: 4, is_certain: false }]);
  });

  it('is not reported by a gateway that does not count, once that has answered', async () => {
    const { link, socket, losses } = await established();
    link.input('ls');
    await vi.advanceTimersByTimeAsync(1000);
    socket.say({ type: 'pong' });
    socket.end(1006);
    await resumedAt(undefined);
    expect(losses).toEqual([]);
  });

  it('is reported when the shell has ended by then', async () => {
    const { link, socket, losses } = await established();
    link.input('make');
    socket.end(1006);
    const next = await resumedAt(0);
    next.say({ type: 'exit', code: 0, signal: null });
    next.end(1000);
    expect(losses).toEqual([{ bytes: 4, is_certain: false }]);
  });

  it('is not reported when it has ended the shell', async () => {
    const { link, socket, losses } = await established();
    link.input('exit\r');
    socket.say({ type: 'exit', code: 0, signal: null });
    socket.end(1000);
    expect(losses).toEqual([]);
  });

  it('is reported when the session is gone', async () => {
    const { link, socket, losses } = await established();
    socket.end(1006);
    link.input('ls');
    const before = FakeSocket.last;
    for (let turns = 0; FakeSocket.last === before && turns < 100; turns += 1)
      await vi.advanceTimersByTimeAsync(200);
    FakeSocket.last.open();
    FakeSocket.last.say({ type: 'error', code: 'session_not_found', message: '' });
    FakeSocket.last.end(4004);
    expect(losses).toEqual([{ bytes: 2, is_certain: true }]);
  });
});

describe('input for a shell that never opens', () => {
  it('is reported', async () => {
    const { link, socket, losses } = await openLink();
    socket.open();
    link.input('reboot\r');
    socket.say({ type: 'error', code: 'upstream_unreachable', message: '' });
    socket.end(1011);
    expect(losses).toEqual([{ bytes: 7, is_certain: true }]);
  });
});

describe('a session that is continued on this device', () => {
  it('is taken over also if the first socket cannot be opened', async () => {
    const { socket } = await openLink({ aim: { kind: 'session', session_id: 's' } });
    socket.end(1006);
    const before = FakeSocket.last;
    for (let turns = 0; FakeSocket.last === before && turns < 100; turns += 1)
      await vi.advanceTimersByTimeAsync(200);
    expect(FakeSocket.last.url).toMatch(/client_id=me$/);
  });
});

describe('a session that another device has by now', () => {
  it('is left to it after a drop, and taken over on request', async () => {
    const { link, socket, states } = await established();
    socket.end(1006);
    const before = FakeSocket.last;
    for (let turns = 0; FakeSocket.last === before && turns < 100; turns += 1)
      await vi.advanceTimersByTimeAsync(200);
    expect(FakeSocket.last.url).toMatch(/client_id=me&take_over=false$/);
    FakeSocket.last.open();
    FakeSocket.last.say({ type: 'error', code: 'terminal_in_use', message: '' });
    FakeSocket.last.end(4009);
    expect(states.at(-1)).toMatchObject({ kind: 'over', ending: { kind: 'taken_over' } });
    link.reconnectNow();
    await settle();
    expect(FakeSocket.last.url).toMatch(/client_id=me$/);
  });
});
