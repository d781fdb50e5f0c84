import { describe, expect, it } from 'vitest';
import { createReadiness } from '#server/http/readiness.ts';
import { handClock } from '../../support/hand-clock.ts';

const fine = async () => undefined;
const never = () => new Promise<void>(() => undefined);
const code = (refused: Promise<void>) =>
  refused.then(
    () => 'ready',
    (error) => error.code,
  );

describe('Readiness', () => {
  it('holds while the database answers', async () => {
    expect(await code(createReadiness(fine, handClock().after).assertReady())).toBe('ready');
  });

  it('is refused when the database fails', async () => {
    const failing = async () => Promise.reject(new Error('no such table'));
    expect(await code(createReadiness(failing, handClock().after).assertReady())).toBe(
      'database_unavailable',
    );
  });

  it('is refused after two seconds without an answer', async () => {
    const clock = handClock();
    const asked = code(createReadiness(never, clock.after).assertReady());
    await clock.pass(2000);
    expect(await asked).toBe('database_unavailable');
    expect(clock.timers()).toBe(0);
  });

  it('asks a hanging database once, however often it is requested', async () => {
    const clock = handClock();
    let asked = 0;
    const hanging = () => {
      asked += 1;
      return never();
    };
    const readiness = createReadiness(hanging, clock.after);
    const all = Promise.all([1, 2, 3].map(() => code(readiness.assertReady())));
    await clock.pass(2000);
    await all;
    expect(asked).toBe(1);
  });

  it('is refused as soon as the gateway drains, even to requests in progress', async () => {
    let answer = () => {};
    const slow = () => new Promise<void>((resolve) => (answer = resolve));
    const readiness = createReadiness(slow, handClock().after);
    const asked = code(readiness.assertReady());
    readiness.drain();
    answer();
    expect(await asked).toBe('shutting_down');
    expect(await code(readiness.assertReady())).toBe('shutting_down');
  });
});
