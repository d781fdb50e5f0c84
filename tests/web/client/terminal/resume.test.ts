import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { established, FakeSocket, openLink, session, settle, ticket } from './link-double.ts';

const text = (value: string) => new TextEncoder().encode(value);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The next attempt, whose socket opens. */
async function back(): Promise<FakeSocket> {
  const before = FakeSocket.last;
  for (let turns = 0; FakeSocket.last === before && turns < 100; turns += 1)
    await vi.advanceTimersByTimeAsync(200);
  FakeSocket.last.open();
  return FakeSocket.last;
}

describe('the link of a terminal whose socket drops', () => {
  it('resumes at the byte after the last one received, with its size and its own ticket', async () => {
    const { socket, requests, states } = await established();
    socket.flow(1000);
    socket.end(1006);
    expect(states.at(-1)).toMatchObject({ kind: 'reconnecting', attempt: 1 });
    const next = await back();
    expect(next.url).toContain('/api/ws/terminal/resume/s?ticket=once&offset=1000&cols=90&rows=30');
    expect(requests.filter(({ url }) => url.endsWith('/ws-ticket'))).toHaveLength(2);
    next.say(session({ offset: 1000 }));
    expect(states.at(-1)).toMatchObject({ kind: 'open' });
  });

  it('does not count a drawn screen as output', async () => {
    const { socket } = await established();
    socket.end(1006);
    const next = await back();
    next.say(session({ offset: 5000, gap: true, screen_bytes: 300 }));
    next.flow(200);
    next.flow(150);
    next.end(1006);
    expect((await back()).url).toContain('offset=5050');
  });

  it('sends input typed while disconnected once, after the shell is back', async () => {
    const { link, socket } = await established();
    link.input('before');
    socket.end(1006);
    link.input('mean');
    const next = await back();
    link.input('while');
    expect(next.said()).toEqual([]);
    next.say(session());
    expect(next.said()).toEqual([text('mean'), text('while')]);
    next.end(1006);
    const last = await back();
    last.say(session());
    expect(last.said()).toEqual([]);
  });

  it('keeps at most 64 KiB of input and says so', async () => {
    const { link, socket, overflows } = await established();
    socket.end(1006);
    link.input(new Uint8Array(65_536));
    link.input('x');
    expect(overflows()).toBe(1);
  });

  it('retries with growing delays until the gateway says that the shell is gone', async () => {
    const { socket, gateway, states } = await established();
    gateway.answer = () => Promise.reject(new TypeError('no network'));
    socket.end(1006);
    await vi.advanceTimersByTimeAsync(5000);
    const waits = states.flatMap((state) =>
      state.kind === 'reconnecting' && state.next_at ? [state.attempt] : [],
    );
    expect(waits).toEqual([1, 2, 3, 4]);
    gateway.answer = ticket;
    const next = await back();
    next.say({ type: 'error', code: 'session_not_found', message: 'Gone' });
    next.end(4004);
    expect(states.at(-1)).toEqual({ kind: 'over', ending: { kind: 'lost' } });
  });

  it.each([
    ['on request', ({ link }: Opened) => link.reconnectNow()],
    ['when the network or the person returns', ({ comeBack }: Opened) => comeBack()],
  ])('retries at once %s', async (_when, hurry) => {
    const opened = await established();
    opened.socket.end(1006);
    hurry(opened);
    await settle();
    expect(FakeSocket.last).not.toBe(opened.socket);
  });

  it('asks for a sign-in when the gateway no longer accepts the token', async () => {
    const { socket, gateway, states } = await established();
    gateway.answer = () => Response.json({ detail: 'No', code: 'invalid_token' }, { status: 401 });
    socket.end(1006);
    await vi.advanceTimersByTimeAsync(1000);
    expect(states.at(-1)).toMatchObject({ kind: 'over', ending: { kind: 'sign_in' } });
  });

  it('says which instance does not answer, and keeps retrying', async () => {
    const { socket, states } = await established();
    socket.say({ type: 'error', code: 'instance_unreachable', message: 'Away' });
    socket.end(1013);
    expect(states.at(-1)).toMatchObject({ kind: 'reconnecting', error: { code: 'instance_unreachable' } });
  });

  it.each([
    ['only the instance in between stops', 'relay_stopped'],
    ['the gateway restarts and a keeper has the shell', 'gateway_restarting'],
  ])('is resumed when %s', async (_when, code) => {
    const { socket, states } = await established();
    socket.say({ type: 'error', code, message: 'Stopping' });
    socket.end(1012);
    expect(states.at(-1)).toMatchObject({ kind: 'reconnecting' });
  });
});

type Opened = Awaited<ReturnType<typeof established>>;

describe('the link of a terminal', () => {
  it('does not retry a first connection', async () => {
    const { socket, states } = await openLink();
    socket.end(1013);
    expect(states.at(-1)).toMatchObject({ kind: 'over' });
  });

  it('detects a socket that looks open but is dead', async () => {
    const { socket, states } = await established();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(socket.said().at(-1)).toEqual({ type: 'ping' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states.some(({ kind }) => kind === 'reconnecting')).toBe(true);
    expect(socket.closed_with).toBe(3001);
  });

  it('waits while anything arrives', async () => {
    const { socket, states } = await established();
    await vi.advanceTimersByTimeAsync(20_000);
    socket.flow(1);
    await vi.advanceTimersByTimeAsync(9000);
    expect(states.at(-1)).toMatchObject({ kind: 'open' });
  });

  it('leaves the shell running when it is detached, and ends it when it is closed', async () => {
    const left = await established();
    left.link.detach();
    expect(left.socket.closed_with).toBe(3001);
    const ended = await established();
    ended.link.close();
    expect(ended.socket.closed_with).toBe(1000);
  });

  it('ends a shell without a socket through the API', async () => {
    const { link, socket, requests } = await established();
    socket.end(1006);
    link.close();
    await settle();
    const { method, url } = requests.at(-1) ?? {};
    expect([method, url]).toEqual(['DELETE', 'https://gate.example/prefix/api/terminal/sessions/s']);
  });

  it('waits, once it was taken over, until it is reopened here', async () => {
    const { link, socket, states } = await established();
    socket.flow(10);
    socket.say({ type: 'error', code: 'terminal_taken_over', message: '' });
    socket.end(4009);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states.at(-1)).toMatchObject({ ending: { kind: 'taken_over' } });
    link.reconnectNow();
    await settle();
    expect(FakeSocket.last.url).toMatch(/resume\/s\?ticket=once&offset=10&.*client_id=me$/);
  });

  it('requests the current screen when output was left out', async () => {
    const { link, socket } = await established();
    socket.flow(10);
    link.refresh();
    await settle();
    expect(socket.closed_with).toBe(3001);
    expect(FakeSocket.last.url).toMatch(
      /resume\/s\?ticket=once&cols=90&rows=30&client_id=me&take_over=false$/,
    );
  });
});

describe('the link of a guest', () => {
  const joined = { type: 'joined', session_id: 's', server: 'web', owner: 'ada', cols: 80, rows: 24 };
  const aim = { kind: 'join', token: 't0k', mode: 'ro' } as const;

  it('joins again after a drop, without sending a size', async () => {
    const { link, socket } = await openLink({ aim });
    socket.open();
    socket.say({ ...joined, mode: 'rw' });
    socket.end(1006);
    const next = await back();
    expect(next.url).toContain('/api/ws/terminal/join/t0k?ticket=once&mode=ro');
    next.say({ ...joined, mode: 'rw' });
    link.input('x');
    expect(next.said()).toEqual([text('x')]);
  });

  it('sends no input in read-only mode', async () => {
    const { link, socket } = await openLink({ aim });
    socket.open();
    socket.say({ ...joined, mode: 'ro' });
    link.input('x');
    expect(socket.said()).toEqual([]);
  });

  it('sends input while its owner allows it', async () => {
    const { link, socket, news } = await openLink({ aim });
    socket.open();
    socket.say({ ...joined, mode: 'rw' });
    socket.say({ type: 'mode', mode: 'ro' });
    link.input('x');
    socket.say({ type: 'mode', mode: 'rw' });
    link.input('y');
    expect(socket.said()).toEqual([text('y')]);
    expect(news.map(({ type }) => type)).toEqual(['joined', 'mode', 'mode']);
  });

  it('ends with the share', async () => {
    const { socket, states } = await openLink({ aim });
    socket.open();
    socket.say({ ...joined, mode: 'rw' });
    socket.end(1006);
    const next = await back();
    next.say({ type: 'error', code: 'share_not_found', message: '' });
    next.end(4004);
    expect(states.at(-1)).toMatchObject({ ending: { kind: 'share_ended' } });
  });
});

describe('the link of a quick connection', () => {
  it('sends destination and credentials in its first frame, and fetches the secrets only then', async () => {
    const aim = {
      kind: 'quick',
      host: 'h',
      port: 22,
      username: 'u',
      secrets: () => ({ password: 'p' }),
    } as const;
    const { socket } = await openLink({ aim });
    expect(socket.url).not.toContain('p=');
    socket.open();
    expect(socket.sent[0]).toEqual({
      type: 'open',
      cols: 90,
      rows: 30,
      host: 'h',
      port: 22,
      username: 'u',
      password: 'p',
    });
  });
});
