import { describe, expect, it, vi } from 'vitest';
import { createClient } from '#client/client.ts';
import type { PromptFrame } from '#client/terminal/ending.ts';
import { TerminalLink } from '#client/terminal/link.ts';
import { type Answer, established, openLink, settle } from './link-double.ts';

const demo: Answer = () => Response.json({ detail: 'Demo mode', code: 'demo_mode' }, { status: 403 });

const asking = (text: string): PromptFrame => ({
  type: 'prompt',
  name: 'web',
  instructions: '',
  prompts: [{ text, echo: false }],
});

async function asked() {
  const opened = await openLink();
  opened.socket.open();
  opened.socket.say(asking('Password:'));
  return opened;
}

it('Without a WebSocket in the runtime, a terminal needs one from the client', () => {
  vi.stubGlobal('WebSocket', undefined);
  const options = {
    client: createClient({ base_url: 'https://gate.example' }),
    target: { kind: 'server', server_id: 3 },
    size: undefined,
    events: { state: () => undefined, output: () => undefined },
  } as const;
  expect(() => new TerminalLink(options)).toThrow('pass one to createClient');
  vi.unstubAllGlobals();
});

describe('the link of a terminal', () => {
  it('opens with a ticket, the subprotocol and its size', async () => {
    const { socket } = await established();
    expect(socket.url).toBe('wss://gate.example/prefix/api/ws/terminal/3?ticket=once&client_id=me');
    expect(socket.protocols).toEqual(['sallyport.v1']);
    expect(socket.sent[0]).toEqual({ type: 'open', cols: 90, rows: 30 });
  });

  it('opens its socket before its size is known, and requests the shell with that size', async () => {
    let measured = () => {};
    const sized = new Promise<void>((resolve) => {
      measured = resolve;
    });
    const { link, socket } = await openLink({ sized });
    socket.open();
    expect(socket.sent).toEqual([]);
    link.resize({ cols: 70, rows: 20 });
    measured();
    await settle();
    expect(socket.said()).toEqual([{ type: 'open', cols: 70, rows: 20 }]);
  });

  it('falls back to the token where demo mode refuses tickets', async () => {
    const { socket } = await openLink({ answer: demo });
    expect(socket.url).toBe('wss://gate.example/prefix/api/ws/terminal/3?token=sesame&client_id=me');
  });

  it('ends at once when the ticket is refused', async () => {
    const refused = () => Response.json({ detail: 'Invalid token', code: 'invalid_token' }, { status: 401 });
    const { states } = await openLink({ answer: refused });
    expect(states.at(-1)).toMatchObject({ kind: 'over', ending: { kind: 'sign_in' } });
  });

  it.each(['no JSON', 'null', '[]'])(
    'reconnects when the gateway sends something that is not a frame: %s',
    async (data) => {
      const { socket, states } = await established();
      socket.onmessage?.({ data });
      expect([states.at(-1)?.kind, socket.readyState]).toEqual(['reconnecting', 2]);
    },
  );

  it('asks for no ticket any more once it is closed', async () => {
    let asked: AbortSignal | undefined;
    const answer: Answer = (request) => {
      asked = request.signal;
      return new Promise(() => {});
    };
    const { link } = await openLink({ answer });
    link.close();
    expect(asked?.aborted).toBe(true);
  });

  it('keeps a share link within its path', async () => {
    const aim = { kind: 'join', token: '../3?', mode: 'rw' } as const;
    const { socket } = await openLink({ aim });
    expect(new URL(socket.url).pathname).toBe('/prefix/api/ws/terminal/join/..%2F3%3F');
  });

  it('passes bytes in both directions', async () => {
    const { link, socket, output } = await established();
    link.input('é');
    expect(socket.sent.at(-1)).toEqual(new Uint8Array([0xc3, 0xa9]));
    socket.onmessage?.({ data: new Uint8Array([1, 2]).buffer });
    expect(output).toEqual([new Uint8Array([1, 2])]);
  });

  it('queues input until the socket is open', async () => {
    const { link, socket } = await openLink();
    link.input('ls\r');
    socket.open();
    expect(socket.said()[1]).toEqual(new TextEncoder().encode('ls\r'));
  });

  it('cuts a large paste into frames of 64 KiB', async () => {
    const { link, socket } = await established();
    link.input(new Uint8Array(150_000));
    expect(
      socket
        .said()
        .slice(1)
        .map((part) => (part instanceof Uint8Array ? part.length : 0)),
    ).toEqual([65_536, 65_536, 18_928]);
  });

  it('reports a new size once', async () => {
    const { link, socket } = await established();
    link.resize({ cols: 100, rows: 40 });
    link.resize({ cols: 100, rows: 40 });
    expect(socket.said().slice(1)).toEqual([{ type: 'resize', cols: 100, rows: 40 }]);
  });

  it('measures one round trip at a time', async () => {
    const { link, socket, trips } = await established();
    link.ping();
    link.ping();
    socket.say({ type: 'pong' });
    expect(socket.said().slice(1)).toEqual([{ type: 'ping' }]);
    expect(trips).toHaveLength(1);
  });

  it('reports the exit code of the shell', async () => {
    const { socket, states } = await established();
    socket.say({ type: 'exit', code: 2, signal: null });
    socket.end(1000);
    expect(states.at(-1)).toEqual({ kind: 'over', ending: { kind: 'exit', code: 2, signal: null } });
  });

  it('is silent once it is closed', async () => {
    const { link, socket, states } = await established();
    const before = states.length;
    link.close();
    socket.end(1000);
    expect(socket.closed_with).toBe(1000);
    expect(states).toHaveLength(before);
  });

  it('passes on a prompt of the host and answers it once', async () => {
    const { link, socket, prompts } = await asked();
    expect(prompts).toEqual([asking('Password:')]);
    link.answer(['secret']);
    link.answer(['again']);
    expect(socket.said().slice(1)).toEqual([{ type: 'answer', answers: ['secret'] }]);
    expect(prompts.at(-1)).toBeUndefined();
  });

  it('handles several rounds of prompts', async () => {
    const { link, socket, prompts } = await asked();
    link.answer(['secret']);
    socket.say(asking('Code:'));
    link.answer(['123456']);
    expect(socket.sent.at(-1)).toEqual({ type: 'answer', answers: ['123456'] });
    expect(prompts).toEqual([asking('Password:'), undefined, asking('Code:'), undefined]);
  });

  it('drops its prompt once it has ended', async () => {
    const { link, socket, prompts, states } = await asked();
    socket.end(1011);
    expect(prompts.at(-1)).toBeUndefined();
    expect(states.at(-1)).toMatchObject({ kind: 'over' });
    const sent = socket.sent.length;
    link.answer(['too late']);
    expect(socket.sent).toHaveLength(sent);
  });
});
