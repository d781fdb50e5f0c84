import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { joinSignals } from '#core/lib/concurrency/joined-signal.ts';

describe('Joined signals', () => {
  it('abort with the first of them and its reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const { signal } = joinSignals(one.signal, other.signal);
    other.abort('the other');
    one.abort('the one');
    expect([signal.aborted, signal.reason]).toEqual([true, 'the other']);
  });

  it('are aborted at once when one already is', () => {
    const { signal } = joinSignals(new AbortController().signal, AbortSignal.abort('before'));
    expect([signal.aborted, signal.reason]).toEqual([true, 'before']);
  });

  it('leave no listeners behind', () => {
    const long = new AbortController();
    const { signal, leave } = joinSignals(long.signal, new AbortController().signal);
    leave();
    expect(getEventListeners(long.signal, 'abort')).toHaveLength(0);
    long.abort();
    expect(signal.aborted).toBe(false);
  });
});
