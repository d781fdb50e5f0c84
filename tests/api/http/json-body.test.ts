import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createArrivals } from '#api/http/arrivals.ts';
import type { AppEnv } from '#api/http/env.ts';
import { limitJson, parseJson } from '#api/http/json-body.ts';
import { toFault } from '#core/errors.ts';
import type { After } from '#core/lib/time/timers.ts';
import type { Caller } from '#core/model/accounts/caller.ts';

const beside: string[] = [];

const parsing = (limit_mib: number) =>
  parseJson(
    { 'x-body-limit': limit_mib },
    {
      parseJson: async (text) => {
        beside.push(text);
        return text.startsWith('{') ? { value: JSON.parse(text) } : undefined;
      },
    },
  );

/** A body that never ends, on a clock that the test moves. */
function setUp() {
  let fire = () => {};
  let delay_ms = 0;
  const after: After = (ms, run) => {
    [delay_ms, fire] = [ms, run];
    return () => {
      fire = () => {};
    };
  };
  const app = new Hono<AppEnv>();
  app.onError((error, c) => c.json({ code: toFault(error).code, detail: toFault(error).detail }, 400));
  const arriving = { after, arrivals: createArrivals() };
  const limited = (access: 'user' | 'public') => limitJson({ 'x-access': access }, arriving);
  app.use(async (c, next) => {
    c.set('caller', { user_id: 1 } as Caller); // The test needs nothing else of it.
    await next();
  });
  app.post('/', limited('user'), async (c) => c.json({ code: await c.req.text() }, 200));
  app.post('/open', limited('public'), (c) => c.json({ code: 'handled' }, 200));
  app.post('/large', limitJson({ 'x-access': 'user', 'x-body-limit': 4 }, arriving), parsing(4), async (c) =>
    c.json({ code: (await c.req.json()).code }, 200),
  );
  app.post('/parsed', limited('user'), parsing(1), async (c) =>
    c.json({ code: (await c.req.json()).code }, 200),
  );
  const ask = async (body: ReadableStream | string, path = '/') => {
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const response = await app.request(path, init);
    return { code: (await response.json()).code, connection: response.headers.get('connection') };
  };
  const detail = async (body: string, path: string) =>
    (await (await app.request(path, { method: 'POST', body })).json()).detail;
  return { ask, detail, fire: () => fire(), delay_ms: () => delay_ms };
}

describe('A JSON body', () => {
  it('times out after 30 s when the client stalls, and the connection closes', async () => {
    const { ask, fire, delay_ms } = setUp();
    const answered = ask(new ReadableStream());
    await expect.poll(delay_ms).toBe(30_000);
    fire();
    expect(await answered).toEqual({ code: 'body_timeout', connection: 'close' });
  });

  it('gives way while it arrives when newer bodies need its room', async () => {
    const { ask } = setUp();
    const half_sent = Array.from({ length: 1025 }, () => ask(new ReadableStream(), '/open'));
    expect(await half_sent[0]).toEqual({ code: 'body_timeout', connection: 'close' });
    expect(await ask('{}', '/open')).toEqual({ code: 'handled', connection: null });
    expect(await ask('{}', '/')).toEqual({ code: '{}', connection: null });
    expect(await half_sent[1]).toEqual({ code: 'body_timeout', connection: 'close' });
  });

  it('has at most 8 KiB where no sign-in is needed', async () => {
    const { ask, detail } = setUp();
    expect(await ask('x'.repeat(8192), '/open')).toEqual({ code: 'handled', connection: null });
    expect(await ask('x'.repeat(8193), '/open')).toEqual({ code: 'body_too_large', connection: 'close' });
    expect(await detail('x'.repeat(8193), '/open')).toBe('The request body is larger than 8 KiB');
  });

  it('is refused and its connection closed when its chunks exceed the limit', async () => {
    const large = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    });
    expect(await setUp().ask(large, '/')).toEqual({ code: 'body_too_large', connection: 'close' });
  });

  it('is a bad request when it is cut off', async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) });
    expect(await setUp().ask(broken)).toEqual({ code: 'validation', connection: 'close' });
  });

  it('is available to later readers once it has arrived', async () => {
    expect(await setUp().ask('whole')).toEqual({ code: 'whole', connection: null });
  });
});

describe('JSON', () => {
  const nested = (levels: number) => `{"code":${'['.repeat(levels - 1)}"]"${']'.repeat(levels - 1)}}`;

  it.each([
    ['arrays', nested(65)],
    ['arrays that never end', '['.repeat(1_000_000)],
    ['objects', '{"a":'.repeat(65)],
  ])('is refused before it is parsed when it is nested more than 64 levels deep: %s', async (_what, body) => {
    expect(await setUp().detail(body, '/parsed')).toBe('The body is nested more than 64 levels deep');
  });

  it('may be nested 64 levels deep, and have any brackets in its texts', async () => {
    const { ask } = setUp();
    expect((await ask(nested(64), '/parsed')).code).toBeInstanceOf(Array);
    const text = '[{"'.repeat(1000);
    expect(await ask(JSON.stringify({ code: text }), '/parsed')).toMatchObject({ code: text });
    const escaped = '\\"[['.repeat(1000);
    expect(await ask(JSON.stringify({ code: escaped }), '/parsed')).toMatchObject({ code: escaped });
  });

  it('is refused when it has more than 50,000 values', async () => {
    const body = `[${'0,'.repeat(50_000)}0]`;
    expect(await setUp().detail(body, '/parsed')).toBe('The body has more than 50000 values');
  });

  it('is parsed beside the event loop when it is larger than 1 MiB', async () => {
    const { ask, detail } = setUp();
    beside.length = 0;
    await ask('{"code":"small"}', '/large');
    expect(beside).toEqual([]);
    const code = 'x'.repeat(1024 * 1024);
    expect((await ask(JSON.stringify({ code }), '/large')).code).toBe(code);
    expect(beside).toHaveLength(1);
    expect(await detail(`x${code}`, '/large')).toBe('The body is not valid JSON');
  });
});
