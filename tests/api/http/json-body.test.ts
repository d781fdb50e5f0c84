import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { AppEnv } from '#api/http/env.ts';
import { awaitBody, limitJson } from '#api/http/json-body.ts';
import { toFault } from '#core/errors.ts';
import type { After } from '#core/lib/timers.ts';

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
  app.onError((error, c) => c.json({ code: toFault(error).code }, 400));
  app.post('/', async (c) => {
    await awaitBody(c, after);
    return c.json({ code: await c.req.text() }, 200);
  });
  app.post('/limited', limitJson({}, after), (c) => c.json({ code: 'handled' }, 200));
  const ask = async (body: ReadableStream | string, path = '/') => {
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const response = await app.request(path, init);
    return { code: (await response.json()).code, connection: response.headers.get('connection') };
  };
  return { ask, fire: () => fire(), delay_ms: () => delay_ms };
}

describe('A JSON body', () => {
  it('times out after 30 s when the client stalls, and the connection closes', async () => {
    const { ask, fire, delay_ms } = setUp();
    const answered = ask(new ReadableStream());
    await expect.poll(delay_ms).toBe(30_000);
    fire();
    expect(await answered).toEqual({ code: 'body_timeout', connection: 'close' });
  });

  it('times out when a chunked body stalls', async () => {
    const { ask, fire, delay_ms } = setUp();
    const answered = ask(new ReadableStream(), '/limited');
    await expect.poll(delay_ms).toBe(30_000);
    fire();
    expect(await answered).toEqual({ code: 'body_timeout', connection: 'close' });
  });

  it('is refused and its connection closed when its chunks exceed the limit', async () => {
    const large = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    });
    expect(await setUp().ask(large, '/limited')).toEqual({ code: 'body_too_large', connection: 'close' });
  });

  it('is a bad request when it is cut off', async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) });
    expect(await setUp().ask(broken)).toEqual({ code: 'validation', connection: 'close' });
  });

  it('is available to later readers once it has arrived', async () => {
    expect(await setUp().ask('whole')).toEqual({ code: 'whole', connection: null });
  });
});
