import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createArrivals } from '#api/http/arrivals.ts';
import type { AppEnv } from '#api/http/env.ts';
import { limitJson } from '#api/http/json-body.ts';
import type { Caller } from '#core/model/accounts/caller.ts';

const MIB = 1024 * 1024;
const OF_ONE_USER = 2;

/** Requests that stay in progress until the test releases them. */
function setUp() {
  const app = new Hono<AppEnv>();
  const working: (() => void)[] = [];
  app.use(async (c, next) => {
    c.set('caller', { user_id: Number(c.req.header('x-user')) } as Caller); // The test needs nothing else of it.
    await next();
  });
  app.post(
    '/',
    limitJson(
      { 'x-access': 'user', 'x-body-limit': 17 },
      { after: () => () => {}, arrivals: createArrivals() },
    ),
    async (c) => {
      await new Promise<void>((go) => working.push(go));
      return c.text('done');
    },
  );
  const send = (user: number, bytes: number) => {
    const headers = { 'x-user': String(user), 'content-length': String(bytes) };
    return app.request('/', { method: 'POST', body: 'x'.repeat(bytes), headers });
  };
  return { working, send };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

it('handles at most two large bodies of one user at a time, and small ones at once', async () => {
  const { working, send } = setUp();
  const large = Array.from({ length: 4 }, () => send(1, 2 * MIB));
  await expect.poll(() => working.length).toBe(OF_ONE_USER);
  await settled();
  const small = send(1, 100);
  await expect.poll(() => working.length).toBe(OF_ONE_USER + 1);
  while (working.length > 0) {
    working.shift()?.();
    await settled();
  }
  expect((await Promise.all([...large, small])).map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 200,
  ]);
});
