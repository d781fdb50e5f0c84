import { describe, expect, it } from 'vitest';
import { createPace } from '#core/lib/pace.ts';
import type { After } from '#core/lib/timers.ts';

/** Time that passes when the test says so. */
function handClock() {
  const waiting = new Set<() => void>();
  const after: After = (_delay_ms, run) => {
    waiting.add(run);
    return () => waiting.delete(run);
  };
  return {
    after,
    pass() {
      for (const run of [...waiting]) {
        waiting.delete(run);
        run();
      }
    },
    timers: () => waiting.size,
  };
}

const never = () => new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('A place among a few', () => {
  it('lets no more in at once than there are places', async () => {
    const place = createPace(handClock().after, { at_once: 2, lease_ms: 500 });
    const leave = await place(never());
    await place(never());
    let is_in = false;
    const third = place(never()).then(() => {
      is_in = true;
    });
    await settled();
    expect(is_in).toBe(false);
    leave();
    await third;
    expect(is_in).toBe(true);
  });

  it('passes a place on when its holder keeps it for too long, and once only', async () => {
    const clock = handClock();
    const place = createPace(clock.after, { at_once: 1, lease_ms: 500 });
    const leave = await place(never());
    const second = place(never());
    clock.pass();
    await second;
    leave();
    let is_in = false;
    void place(never()).then(() => {
      is_in = true;
    });
    await settled();
    expect(is_in).toBe(false);
  });

  it('forgets who gave up waiting', async () => {
    const place = createPace(handClock().after, { at_once: 1, lease_ms: 500 });
    const leave = await place(never());
    const gone = new AbortController();
    const waiting = place(gone.signal);
    gone.abort(new Error('gave up'));
    await expect(waiting).rejects.toThrow('gave up');
    leave();
    await place(never());
  });

  it('refuses who had given up before, and keeps no timer of a place given back', async () => {
    const clock = handClock();
    const place = createPace(clock.after, { at_once: 1, lease_ms: 500 });
    await expect(place(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    (await place(never()))();
    expect(clock.timers()).toBe(0);
  });
});
