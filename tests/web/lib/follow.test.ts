import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientError } from '#client/transport/client-error.ts';
import { follow, isFinal, retryDelay } from '../../../apps/web/lib/follow.ts';

const refusal = (status: number) => new ClientError({ status, code: 'x', detail: 'x' });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts its rounds; each ends as the list says, the last entry repeating. */
function rounds(...ends: (() => Promise<void>)[]) {
  const signals: AbortSignal[] = [];
  const round = async (signal: AbortSignal) => {
    signals.push(signal);
    await (ends[signals.length - 1] ?? ends.at(-1))?.();
  };
  return { round, count: () => signals.length, signals };
}

const failing = () => Promise.reject(refusal(502));
const lasting = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));
const always_most = () => 1;

describe('Following the gateway', () => {
  it('retries with growing delays of at most 15 s', async () => {
    const { round, count } = rounds(failing);
    follow(round, always_most).start();
    await vi.advanceTimersByTimeAsync(0);
    expect(count()).toBe(1);
    for (const [at, wait] of [1000, 2000, 4000, 8000, 15_000, 15_000].entries()) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(count()).toBe(at + 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(count()).toBe(at + 2);
    }
  });

  it('returns to short delays once a round has lasted', async () => {
    const { round, count } = rounds(failing, failing, lasting(60_000), failing);
    follow(round, always_most).start();
    await vi.advanceTimersByTimeAsync(1000 + 2000 + 60_000);
    expect(count()).toBe(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(count()).toBe(4);
  });

  it('returns to short delays when a round reached the gateway before it failed', async () => {
    const waits: number[] = [];
    let last = 0;
    const round = async (_signal: AbortSignal, reached: () => void) => {
      waits.push(Date.now() - last);
      last = Date.now();
      if (waits.length === 5) reached();
      await failing();
    };
    last = Date.now();
    follow(round, always_most).start();
    await vi.advanceTimersByTimeAsync(18_000);
    expect(waits).toEqual([0, 1000, 2000, 4000, 8000, 1000, 2000]);
  });

  it.each([401, 403])('stops at %i', async (status) => {
    const { round, count } = rounds(() => Promise.reject(refusal(status)));
    follow(round).start();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(count()).toBe(1);
    expect(isFinal(refusal(status))).toBe(true);
  });

  it('stops at once, even while waiting, and can start again', async () => {
    const { round, count, signals } = rounds(failing);
    const following = follow(round, always_most);
    following.start();
    following.start();
    await vi.advanceTimersByTimeAsync(0);
    following.stop();
    expect(signals[0]?.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(count()).toBe(1);
    following.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(count()).toBe(2);
    following.stop();
  });

  it('spreads its attempts over half of the delay', () => {
    expect([retryDelay(1, () => 0), retryDelay(1, () => 1), retryDelay(50, () => 0)]).toEqual([
      500, 1000, 7500,
    ]);
  });
});
