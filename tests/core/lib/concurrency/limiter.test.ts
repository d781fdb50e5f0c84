import { describe, expect, it } from 'vitest';
import { createSlots } from '#core/lib/concurrency/limiter.ts';
import type { After } from '#core/lib/time/timers.ts';

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
    const acquire = createSlots({ concurrency: 2, lease: { after: handClock().after, ms: 500 } });
    const release = await acquire(never());
    await acquire(never());
    let is_in = false;
    const third = acquire(never()).then(() => {
      is_in = true;
    });
    await settled();
    expect(is_in).toBe(false);
    release();
    await third;
    expect(is_in).toBe(true);
  });

  it('is passed on, once, when its holder keeps it too long', async () => {
    const clock = handClock();
    const acquire = createSlots({ concurrency: 1, lease: { after: clock.after, ms: 500 } });
    const release = await acquire(never());
    const second = acquire(never());
    clock.pass();
    await second;
    release();
    let is_in = false;
    void acquire(never()).then(() => {
      is_in = true;
    });
    await settled();
    expect(is_in).toBe(false);
  });

  it('is not given to a waiter that gave up', async () => {
    const acquire = createSlots({ concurrency: 1, lease: { after: handClock().after, ms: 500 } });
    const release = await acquire(never());
    const gone = new AbortController();
    const waiting = acquire(gone.signal);
    gone.abort(new Error('gave up'));
    await expect(waiting).rejects.toThrow('gave up');
    release();
    await acquire(never());
  });

  it('is refused to an aborted request, and releases no timer when released', async () => {
    const clock = handClock();
    const acquire = createSlots({ concurrency: 1, lease: { after: clock.after, ms: 500 } });
    await expect(acquire(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    (await acquire(never()))();
    expect(clock.timers()).toBe(0);
  });
});
