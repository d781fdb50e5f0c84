import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { TurnKind } from '#api/contract/app-route.ts';
import type { AppEnv } from '#api/http/env.ts';
import { createTurns } from '#api/http/turns.ts';
import { toFault } from '#core/errors.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import { handClock } from '../../support/hand-clock.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve));

/** Requests that stay in progress until the test releases them. */
function setUp() {
  const clock = handClock(1000);
  const gone: (() => void)[] = [];
  const answered: (() => void)[] = [];
  const working: (() => void)[] = [];
  const takeTurn = createTurns({
    after: clock.after,
    runtime: {
      onGone(_c, run) {
        gone.push(run);
        return () => {};
      },
      onAnswered: (_c, run) => void answered.push(run),
    },
  });
  const app = new Hono<AppEnv>();
  app.onError((error, c) => c.json({ code: toFault(error).code }, 429));
  const arriving: (() => void)[] = [];
  app.use('/:user/:kind', async (c, next) => {
    const { user, kind } = c.req.param();
    const id = c.req.query('embed');
    const bounds = id === undefined ? undefined : { server_id: 1, kind: 'sftp', mode: 'rw' };
    c.set('caller', { user_id: Number(user), credential: { kind: 'session', id }, bounds } as Caller); // The test needs nothing else of it.
    if (c.req.query('body') === undefined) return takeTurn(c, kind as TurnKind, next);
    await takeTurn(c, 'body', async () => {
      await new Promise<void>((arrived) => arriving.push(arrived));
      await takeTurn(c, kind as TurnKind, next);
    });
  });
  app.get('/:user/:kind', async (c) => {
    await new Promise<void>((go) => working.push(go));
    return c.text('done');
  });
  const ask = async (kind: TurnKind, user = 1) => app.request(`/${user}/${kind}`);
  const askMany = (kind: TurnKind, count: number) => Array.from({ length: count }, () => ask(kind));
  const askAs = async (embed: string) => app.request(`/1/answer?embed=${embed}`);
  const send = async () => app.request('/1/answer?body');
  return { send, arriving, clock, gone, answered, working, ask, askMany, askAs };
}

describe('Requests of one user', () => {
  it.each([
    ['answer', 16],
    ['files', 50],
    ['transfer', 100],
  ] as const)('take turns on routes of the kind %s: %i at a time', async (kind, at_once) => {
    const { working, ask, askMany } = setUp();
    const asked = askMany(kind, at_once + 1);
    await settled();
    expect(working).toHaveLength(at_once);
    void ask(kind, 2);
    await settled();
    expect(working).toHaveLength(at_once + 1); // Other users do not wait for them.
    expect(asked).toHaveLength(at_once + 1);
  });

  it('begin when an earlier one has its answer', async () => {
    const { working, askMany } = setUp();
    const asked = askMany('answer', 17);
    await settled();
    working[0]?.();
    await asked[0];
    await settled();
    expect(working).toHaveLength(17);
  });

  it('keep the turn of a stream until the client has read it, and more are refused at once', async () => {
    const { answered, working, ask, askMany } = setUp();
    const asked = askMany('stream', 100);
    await settled();
    for (const go of working) go();
    await Promise.all(asked);
    expect((await ask('stream')).status).toBe(429);
    answered[0]?.();
    void ask('stream');
    await settled();
    expect(working).toHaveLength(101);
  });

  it('leave most turns to others when one embedded session takes all that it can', async () => {
    const { working, askAs } = setUp();
    const visitor = Array.from({ length: 16 }, () => askAs('visitor'));
    await settled();
    expect(working).toHaveLength(4);
    void askAs('another');
    await settled();
    expect(working).toHaveLength(5);
    working[0]?.();
    await visitor[0];
    await settled();
    expect(working).toHaveLength(6);
  });

  it('do not wait for bodies that arrive', async () => {
    const { send, arriving, working, ask } = setUp();
    for (let count = 0; count < 17; count += 1) void send();
    void ask('answer');
    await settled();
    expect([arriving.length, working.length]).toEqual([16, 1]);
    arriving[0]?.();
    await settled();
    expect([arriving.length, working.length]).toEqual([17, 2]);
  });

  it('keep at most 16 bodies in memory while they wait for a turn', async () => {
    const { send, arriving, working, askMany } = setUp();
    void askMany('answer', 16);
    await settled();
    for (let count = 0; count < 17; count += 1) void send();
    await settled();
    for (const arrived of arriving) arrived();
    await settled();
    expect([arriving.length, working.length]).toEqual([16, 16]);
    working[0]?.();
    await settled();
    expect([arriving.length, working.length]).toEqual([17, 17]);
  });

  it('are refused with rate_limited after a minute without a turn', async () => {
    const { clock, ask, askMany } = setUp();
    void askMany('answer', 16);
    const late = ask('answer');
    await settled();
    await clock.pass(60_000);
    expect(await (await late).json()).toEqual({ code: 'rate_limited' });
  });

  it('give up their place when the client disconnects', async () => {
    const { gone, working, ask, askMany } = setUp();
    void askMany('answer', 16);
    void ask('answer');
    await settled();
    gone[0]?.();
    await settled();
    working[0]?.();
    await settled();
    expect(working).toHaveLength(16);
  });
});
