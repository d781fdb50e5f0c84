import { describe, expect, it } from 'vitest';
import { createPace } from '#core/lib/pace.ts';
import type { After } from '#core/lib/timers.ts';

/** A clock that the test moves. */
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

describe('A slot of a limiter', () => {
  it('is given to no more holders at once than there are slots', async () => {
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

  it('is passed on, once, when its holder keeps it too long', async () => {
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

  it('is not given to a waiter that gave up', async () => {
    const place = createPace(handClock().after, { at_once: 1, lease_ms: 500 });
    const leave = await place(never());
    const gone = new AbortController();
    const waiting = place(gone.signal);
    gone.abort(new Error('gave up'));
    await expect(waiting).rejects.toThrow('gave up');
    leave();
    await place(never());
  });

  it('is refused to an aborted request, and leaves no timer when released', async () => {
    const clock = handClock();
    const place = createPace(clock.after, { at_once: 1, lease_ms: 500 });
    await expect(place(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    (await place(never()))();
    expect(clock.timers()).toBe(0);
  });
});
