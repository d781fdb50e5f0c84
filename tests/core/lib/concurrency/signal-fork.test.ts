import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { forkSignal } from '#core/lib/concurrency/signal-fork.ts';

const MANY = 100;

/** Rejects once its signal aborts. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('A forked signal', () => {
  it('aborts everything in progress, with one listener on the original signal', async () => {
    const controller = new AbortController();
    const fork = forkSignal(controller.signal);
    const all = Array.from({ length: MANY }, () => fork.during(untilAborted));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort('enough');
    const ends = await Promise.allSettled(all);
    expect(ends).toEqual(Array(MANY).fill({ status: 'rejected', reason: 'enough' }));
  });

  it('starts nothing once the signal has aborted', async () => {
    const fork = forkSignal(AbortSignal.abort('enough'));
    let is_begun = false;
    const work = async () => {
      is_begun = true;
    };
    await expect(fork.during(work)).rejects.toBe('enough');
    expect(is_begun).toBe(false);
  });

  it('ignores completed work and removes its listener when it is closed', async () => {
    const controller = new AbortController();
    const fork = forkSignal(controller.signal);
    const signal = await fork.during(async (own) => own);
    controller.abort();
    expect(signal.aborted).toBe(false);
    fork.close();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
