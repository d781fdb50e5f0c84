import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '#client/client.ts';
import type { Credentials } from '#client/transport/credentials.ts';

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ detail: code, code }, { status, headers });

interface Given {
  readonly answers: readonly (Response | Error)[];
  readonly credentials?: Credentials;
}

/** A client whose requests are answered in this order. */
function clientOf({ answers, credentials = { token: () => 'old' } }: Given) {
  const left = [...answers];
  const sent: string[] = [];
  const client = createClient({
    base_url: 'https://gate.example',
    credentials,
    fetch: async (request) => {
      sent.push(`${request.headers.get('Authorization')} ${await request.text()}`.trim());
      const answer = left.shift() ?? Response.json([]);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { http: client.http, sent };
}

const body = { name: 'ci' };

describe('A refused token', () => {
  const refused = () => refusal(401, 'invalid_token');

  it('is replaced, and the request is sent again with its body', async () => {
    const { http, sent } = clientOf({
      answers: [refused()],
      credentials: { token: () => 'old', refresh: async () => 'new' },
    });
    await http.POST('/api/auth/api-keys', { body });
    expect(sent).toEqual(['Bearer old {"name":"ci"}', 'Bearer new {"name":"ci"}']);
  });

  it('is asked for again after a refresh that threw at once', async () => {
    const refresh = vi.fn((): Promise<string> => {
      throw new Error('No network');
    });
    const { http } = clientOf({
      answers: [refused(), refused()],
      credentials: { token: () => 'old', refresh },
    });
    await expect(http.POST('/api/auth/api-keys', { body })).rejects.toThrow();
    await expect(http.POST('/api/auth/api-keys', { body })).rejects.toThrow();
    expect(refresh).toHaveBeenCalledTimes(2);
  });

  it('is replaced once for requests at the same time', async () => {
    const refresh = vi.fn(async () => 'new');
    const { http } = clientOf({
      answers: [refused(), refused()],
      credentials: { token: () => 'old', refresh },
    });
    await Promise.all([http.GET('/api/servers'), http.GET('/api/snippets')]);
    expect(refresh.mock.calls).toEqual([['old']]);
  });

  it('is thrown as a refusal when there is no other', async () => {
    const refresh = vi.fn(async () => undefined);
    const { http, sent } = clientOf({
      answers: [refused(), refused()],
      credentials: { token: () => 'old', refresh },
    });
    await expect(http.GET('/api/servers')).rejects.toMatchObject({ code: 'invalid_token' });
    await expect(http.GET('/api/servers')).rejects.toMatchObject({ code: 'invalid_token' });
    expect([sent.length, refresh.mock.calls.length]).toEqual([2, 2]);
  });
});

describe('A request that failed for now', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is sent again when the gateway says it may be', async () => {
    const { http, sent } = clientOf({ answers: [refusal(429, 'rate_limited', { 'Retry-After': '7' })] });
    const done = http.POST('/api/auth/api-keys', { body });
    await vi.advanceTimersByTimeAsync(6900);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    await done;
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['the network failed', () => new TypeError('fetch failed')],
    ['the gateway is restarting', () => refusal(503, 'shutting_down')],
    ['a proxy had no gateway', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ])('is sent again if it only reads: %s', async (_why, failure) => {
    const { http, sent } = clientOf({ answers: [failure(), failure()] });
    const done = http.GET('/api/servers');
    await vi.runAllTimersAsync();
    expect([(await done).data, sent.length]).toEqual([[], 3]);
  });

  it.each([
    ['it may have been carried out', () => new TypeError('fetch failed'), 'POST', 'network'],
    ['the host was at fault', () => refusal(502, 'upstream_unreachable'), 'GET', 'upstream_unreachable'],
    ['the wait is long', () => refusal(429, 'rate_limited', { 'Retry-After': '31' }), 'GET', 'rate_limited'],
  ] as const)('is not sent again when %s', async (_why, failure, method, code) => {
    const { http, sent } = clientOf({ answers: [failure()] });
    const done = method === 'GET' ? http.GET('/api/servers') : http.POST('/api/auth/api-keys', { body });
    await expect(done).rejects.toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  it('can be cancelled while it waits', async () => {
    const giving_up = new AbortController();
    const { http, sent } = clientOf({ answers: [new TypeError('fetch failed')] });
    const done = http.GET('/api/servers', { signal: giving_up.signal });
    const failed = expect(done).rejects.toMatchObject({ name: 'AbortError' });
    await vi.advanceTimersByTimeAsync(100);
    giving_up.abort();
    await failed;
    expect(sent).toHaveLength(1);
  });
});

it('An error page without an end is not read to its end', async () => {
  const page = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
  });
  const { http } = clientOf({ answers: [new Response(page, { status: 404 })] });
  await expect(http.GET('/api/servers')).rejects.toMatchObject({ status: 404, code: 'http_404' });
});
