import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { AppEnv } from '#api/http/env.ts';
import { sendEntries } from '#api/http/send-entries.ts';

it.each([
  ['no entries', []],
  ['a few entries', [{ name: 'a' }, { name: 'b' }]],
  ['names of megabytes', Array.from({ length: 5 }, (_, nth) => ({ name: String(nth).repeat(1024 ** 2) }))],
])('sends %s in pieces that take milliseconds to serialize', async (_what, entries) => {
  const app = new Hono<AppEnv>();
  app.get('/', (c) => sendEntries(c, { path: '/srv', entries, truncated: false }));
  const response = await app.request('/');
  if (!response.body) throw new Error('There is no body');
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({ path: '/srv', entries, truncated: false });
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2 * 1024 ** 2);
});
