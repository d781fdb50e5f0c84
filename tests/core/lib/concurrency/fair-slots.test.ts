import { describe, expect, it } from 'vitest';
import { createFairSlots } from '#core/lib/concurrency/fair-slots.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

function slots(changes: Partial<Parameters<typeof createFairSlots>[0]> = {}) {
  const limits = {
    concurrency: 3,
    concurrency_per_owner: 2,
    max_waiting: 8,
    max_waiting_per_owner: 4,
    ...changes,
  };
  const acquire = createFairSlots({ ...limits, tooMany: () => new Error('full') });
  const order: string[] = [];
  /** Enters as soon as it can; the result leaves. */
  function enter(owner: string, signal?: AbortSignal) {
    const slot = acquire(owner, signal).then((release) => {
      order.push(owner);
      return release;
    });
    return { slot, leave: async () => (await slot)() };
  }
  return { enter, order };
}

describe('Fair slots', () => {
  it('give one owner no more than its share', async () => {
    const { enter, order } = slots();
    const [first] = [enter('one'), enter('one'), enter('one'), enter('two')];
    await settled();
    expect(order).toEqual(['one', 'one', 'two']);
    await first?.leave();
    await settled();
    expect(order).toEqual(['one', 'one', 'two', 'one']);
  });

  it('let owners take turns, however much one of them has queued', async () => {
    const { enter, order } = slots({ concurrency: 1 });
    await Promise.all(['one', 'one', 'one', 'two'].map((owner) => enter(owner).leave()));
    expect(order).toEqual(['one', 'one', 'two', 'one']);
  });

  it('refuse more than may wait, of one owner and of all', async () => {
    const { enter } = slots({ concurrency: 0, max_waiting: 3, max_waiting_per_owner: 2 });
    for (const owner of ['one', 'one', 'two']) enter(owner);
    await expect(enter('one').slot).rejects.toThrow('full');
    await expect(enter('two').slot).rejects.toThrow('full');
  });

  it('let every owner wait for one', async () => {
    const { enter, order } = slots({ concurrency: 1, max_waiting: 1 });
    const first = enter('one');
    enter('one');
    const other = enter('two');
    await first.leave();
    await Promise.race([other.slot, settled().then(settled)]);
    expect(order).toEqual(['one', 'one']);
  });

  it('pass over work whose signal aborts while it waits', async () => {
    const { enter, order } = slots({ concurrency: 1, max_waiting_per_owner: 1 });
    const first = enter('one');
    const gone = new AbortController();
    const second = enter('one', gone.signal);
    gone.abort(new Error('gone'));
    await expect(second.slot).rejects.toThrow('gone');
    const third = enter('one');
    await first.leave();
    await third.slot;
    expect(order).toEqual(['one', 'one']);
  });

  it('free a slot once, however often it is released', async () => {
    const { enter, order } = slots({ concurrency: 1 });
    const first = enter('one');
    const release = await first.slot;
    enter('two');
    enter('three');
    release();
    release();
    await settled();
    expect(order).toEqual(['one', 'two']);
  });
});
