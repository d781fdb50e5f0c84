import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { established, FakeSocket, session } from './link-double.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('acknowledgements of parsed output', () => {
  it('are announced at the start', async () => {
    const { socket } = await established();
    expect(socket.acks()).toEqual([{ type: 'ack', bytes: 0 }]);
  });

  it('are sent every 128 KiB', async () => {
    const { link, socket } = await established();
    socket.flow(300_000);
    link.parsed(100_000);
    expect(socket.acks()).toHaveLength(1);
    link.parsed(100_000);
    expect(socket.acks().at(-1)).toEqual({ type: 'ack', bytes: 200_000 });
  });

  it('are sent for smaller amounts a few times a second', async () => {
    const { link, socket } = await established();
    socket.flow(30);
    link.parsed(10);
    link.parsed(20);
    await vi.advanceTimersByTimeAsync(250);
    expect(socket.acks().slice(1)).toEqual([{ type: 'ack', bytes: 30 }]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(socket.acks()).toHaveLength(2);
  });

  it('count from zero on each socket', async () => {
    const { link, socket } = await established();
    socket.flow(1000);
    socket.end(1006);
    await vi.advanceTimersByTimeAsync(1000);
    const next = FakeSocket.last;
    next.open();
    next.say(session({ offset: 1000 }));
    next.flow(5);
    link.parsed(1000);
    link.parsed(5);
    await vi.advanceTimersByTimeAsync(250);
    expect(next.acks()).toEqual([
      { type: 'ack', bytes: 0 },
      { type: 'ack', bytes: 5 },
    ]);
  });
});
