import { describe, expect, it } from 'vitest';
import { createChanges } from '#core/instances/changes.ts';
import type { Topic } from '#core/ports/notices.ts';
import { handClock } from '../../support/hand-clock.ts';

function setUp(look: () => Promise<void> = async () => undefined) {
  const clock = handClock(10);
  const changes = createChanges(clock);
  const looks = { count: 0 };
  const topics: Topic[] = ['rights'];
  const stop = changes.follow({
    topics,
    every_ms: 1000,
    calm_ms: 15_000,
    look() {
      looks.count += 1;
      return look();
    },
  });
  return { clock, changes, looks, stop };
}

describe('What follows changes by other instances', () => {
  it('looks every second without notices, and rarely while they arrive', async () => {
    const { clock, changes, looks } = setUp();
    await clock.pass(5000);
    expect(looks.count).toBeGreaterThanOrEqual(4);
    changes.hearing(true);
    await clock.pass(1000);
    const before = looks.count;
    await clock.pass(10_000);
    expect(looks.count).toBe(before);
    await clock.pass(15_000);
    expect(looks.count).toBeGreaterThan(before);
    changes.hearing(false);
    await clock.pass(5000);
    expect(looks.count).toBeGreaterThanOrEqual(before + 4);
  });

  it('looks at once when notices begin to arrive, since some may have been missed', async () => {
    const { clock, changes, looks } = setUp();
    changes.hearing(true);
    await clock.pass(100);
    expect(looks.count).toBe(1);
  });

  it('looks after a notice of its own topic only', async () => {
    const { clock, changes, looks } = setUp();
    changes.heard('settings');
    await clock.pass(200);
    expect(looks.count).toBe(0);
    changes.heard('rights');
    await clock.pass(200);
    expect(looks.count).toBe(1);
  });

  it('looks at most ten times a second, however many notices arrive', async () => {
    const { clock, changes, looks } = setUp();
    for (let i = 0; i < 100; i += 1) {
      changes.heard('rights');
      await clock.pass(10);
    }
    expect(looks.count).toBeGreaterThan(1);
    expect(looks.count).toBeLessThanOrEqual(11);
  });

  it('looks again after a notice that arrived during a look', async () => {
    let finish = () => {};
    const { clock, changes, looks } = setUp(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    changes.heard('rights');
    await clock.pass(100);
    changes.heard('rights');
    await clock.pass(100);
    expect(looks.count).toBe(1);
    finish();
    await clock.pass(200);
    expect(looks.count).toBe(2);
  });

  it('goes on after a look that failed', async () => {
    const { clock, looks } = setUp(() => Promise.reject(new Error('The database is away')));
    await clock.pass(3100);
    expect(looks.count).toBeGreaterThanOrEqual(2);
  });

  it('sets no timer once it is stopped', async () => {
    const { clock, changes, looks, stop } = setUp();
    changes.heard('rights');
    stop();
    await clock.pass(5000);
    expect(looks.count).toBe(0);
    expect(clock.timers()).toBe(0);
  });

  it('may only listen, to one topic', async () => {
    const { changes } = setUp();
    let heard = 0;
    const stop = changes.listen('monitor', () => {
      heard += 1;
    });
    changes.heard('rights');
    changes.hearing(true);
    expect(heard).toBe(0);
    changes.heard('monitor');
    stop();
    changes.heard('monitor');
    expect(heard).toBe(1);
  });
});
