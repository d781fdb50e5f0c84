import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { createLargeAnswers } from '#core/files/large-answers.ts';
import { handClock } from '../../support/hand-clock.ts';

const LARGE = 1024 ** 2;
const NEVER = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const clock = handClock(10_000);
  const large_answers = createLargeAnswers(clock.after);
  /** One that is large; `made` once it had its turn. */
  const ask = (user_id: number, { signal = NEVER, bytes = LARGE } = {}) => {
    const answered = new AbortController();
    const made: string[] = [];
    const answer = large_answers({ user_id, signal, answered: answered.signal }, async (grow) => {
      await grow(bytes);
      made.push('made');
      return 'answer';
    });
    answer.catch(() => undefined);
    return { answer, isMade: () => made.length > 0, take: () => answered.abort() };
  };
  return { clock, large_answers, ask };
}

describe('Large answers', () => {
  it('of one user: two at a time, each until the client has it', async () => {
    const { ask } = setUp();
    const asked = Array.from({ length: 4 }, () => ask(1));
    await settled();
    expect(asked.map(({ isMade }) => isMade())).toEqual([true, true, false, false]);
    await asked[0]?.answer;
    await settled();
    expect(asked[2]?.isMade()).toBe(false);
    asked[0]?.take();
    await settled();
    expect(asked[2]?.isMade()).toBe(true);
  });

  it('of all users: four at a time, and users take turns', async () => {
    const { ask } = setUp();
    const first = [ask(1), ask(1), ask(2), ask(2)];
    const later = [ask(1), ask(1), ask(3)];
    await settled();
    expect(later.map(({ isMade }) => isMade())).toEqual([false, false, false]);
    first[0]?.take();
    first[1]?.take();
    await settled();
    expect(later.map(({ isMade }) => isMade())).toEqual([true, false, true]);
  });

  it('that are small do not wait for the large ones', async () => {
    const { ask } = setUp();
    for (let count = 0; count < 4; count += 1) ask(1);
    expect(await ask(1, { bytes: 1000 }).answer).toBe('answer');
  });

  it('are refused with rate_limited after a minute without a turn', async () => {
    const { ask, clock } = setUp();
    ask(1);
    ask(1);
    const { answer } = ask(1);
    await clock.pass(60_000);
    await expect(answer).rejects.toMatchObject({ code: 'rate_limited', options: { retry_after: 5 } });
  });

  it('that more than a hundred wait for are refused with rate_limited at once', async () => {
    const { ask } = setUp();
    const asked = Array.from({ length: 103 }, () => ask(1).answer);
    await expect(asked.at(-1)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('end after five minutes, however the host delays them, and free their turn', async () => {
    const { large_answers, ask, clock } = setUp();
    const endless = () =>
      large_answers({ user_id: 1, signal: NEVER }, async (grow) => {
        for (;;) {
          await grow(LARGE);
          await settled();
        }
      });
    const both = [endless(), endless()].map((one) => one.catch((error: unknown) => error));
    await clock.pass(4.9 * 60_000);
    const waiting = ask(1);
    await clock.pass(0.2 * 60_000);
    expect(await both[0]).toMatchObject({ code: 'operation_timeout' });
    expect(waiting.isMade()).toBe(true);
  });

  it('stop growing when the client has gone, and free their turn', async () => {
    const { ask } = setUp();
    const gone = new AbortController();
    const asked = [ask(1), ask(1), ask(1, { signal: gone.signal }), ask(1)];
    await settled();
    gone.abort(new Fault('client_left'));
    await expect(asked[2]?.answer).rejects.toMatchObject({ code: 'client_left' });
    asked[0]?.take();
    await settled();
    expect(asked[3]?.isMade()).toBe(true);
  });
});
