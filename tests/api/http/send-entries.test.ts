import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { AppEnv } from '#api/http/env.ts';
import { sendEntries, sendText } from '#api/http/send-entries.ts';

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

it.each([
  ['nothing', ''],
  ['a line', 'one "line"\n'],
  ['control characters, each six times as long in JSON', '\u0001'.repeat(2 * 1024 ** 2)],
  ['emoji at the end of each piece', `x${'😀'.repeat(300_000)}`],
])('sends a text of %s in pieces that take milliseconds to serialize', async (_what, content) => {
  const app = new Hono<AppEnv>();
  app.get('/', (c) => sendText(c, { path: '/srv', content, size: 1 }));
  const response = await app.request('/');
  if (!response.body) throw new Error('There is no body');
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual({ path: '/srv', content, size: 1 });
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2 * 1024 ** 2);
});

it('serializes a long listing only as fast as the client reads it', async () => {
  let serialized = 0;
  const entries = Array.from({ length: 100 }, () => ({
    toJSON() {
      serialized += 1;
      return 'x'.repeat(256 * 1024);
    },
  }));
  const app = new Hono<AppEnv>();
  app.get('/', (c) => sendEntries(c, { path: '/srv', entries }));
  const response = await app.request('/');
  await new Promise((resolve) => setTimeout(resolve));
  expect(serialized).toBeLessThan(20);
  await response.body?.cancel();
});

it('serializes one piece in each turn of the event loop, however many clients read', async () => {
  const turns: number[] = [];
  let in_turn = 0;
  const counting = setInterval(() => {
    turns.push(in_turn);
    in_turn = 0;
  });
  const entries = Array.from({ length: 5 }, () => ({
    toJSON() {
      in_turn += 1;
      return 'x'.repeat(512 * 1024); // a piece
    },
  }));
  const app = new Hono<AppEnv>();
  app.get('/', (c) => sendEntries(c, { path: '/srv', entries }));
  const responses = await Promise.all(Array.from({ length: 4 }, () => app.request('/')));
  in_turn = 0; // the first piece of each answer was made by its request
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  clearInterval(counting);
  expect(Math.max(...turns, in_turn)).toBeLessThanOrEqual(1);
  expect(turns.reduce((sum, count) => sum + count, in_turn)).toBe(4 * 4);
});
