import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GatewayClient } from '#client/client.ts';
import { requestShell } from '#client/terminal/requested.ts';
import { FakeSocket, openLink, session, settle } from './link-double.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const size = { cols: 90, rows: 30 };
const OPEN = { type: 'open', ...size };

/** A shell on server 3 that was requested, and has said something, before there is a terminal. */
async function requestEarly(client: GatewayClient): Promise<void> {
  const requested = requestShell({ client, server_id: 3, size });
  await settle();
  FakeSocket.last.open();
  FakeSocket.last.say(session());
  FakeSocket.last.flow(5);
  await requested;
}

describe('a shell that was requested before its terminal', () => {
  it('is taken over by the next terminal on its server, with all that it has said', async () => {
    const { socket, states, output, requests, link } = await openLink({ before: requestEarly });
    expect(requests).toHaveLength(1);
    expect(states.at(-1)).toMatchObject({ kind: 'open', session_id: 's' });
    expect(output).toEqual([new Uint8Array(5)]);
    link.input('ls');
    expect(socket.said()).toEqual([OPEN, new TextEncoder().encode('ls')]);
  });

  it('is told its size if the terminal has another one', async () => {
    const { socket } = await openLink({ before: requestEarly, size: { cols: 80, rows: 20 } });
    expect(socket.said()).toEqual([OPEN, { type: 'resize', cols: 80, rows: 20 }]);
  });

  it('is left to a terminal on its server', async () => {
    const { socket, requests } = await openLink({
      before: requestEarly,
      aim: { kind: 'server', server_id: 4 },
    });
    expect(requests).toHaveLength(2);
    expect(socket.url).toContain('/api/ws/terminal/4');
  });

  it('ends if no terminal takes it', async () => {
    const { socket: other } = await openLink({
      before: requestEarly,
      aim: { kind: 'server', server_id: 4 },
    });
    const early = FakeSocket.all.at(-2);
    await vi.advanceTimersByTimeAsync(3000);
    expect(early?.closed_with).toBe(1000);
    expect(other.closed_with).toBeUndefined();
  });

  it('is requested again by a terminal that takes longer than it was kept', async () => {
    const { socket, requests, states } = await openLink({
      before: async (client) => {
        await requestEarly(client);
        await vi.advanceTimersByTimeAsync(3000);
      },
    });
    expect(requests).toHaveLength(2);
    expect(states).toEqual([{ kind: 'connecting' }]);
    socket.open();
    socket.say(session());
    expect(states.at(-1)).toMatchObject({ kind: 'open' });
  });

  it('tells its terminal that it was refused', async () => {
    const { states } = await openLink({
      before: async (client) => {
        const requested = requestShell({ client, server_id: 3, size });
        await settle();
        FakeSocket.last.end(4004, 'server_not_found');
        await requested;
      },
    });
    expect(states.at(-1)?.kind).toBe('over');
  });
});
