import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemAfter } from '#core/lib/time/timers.ts';

const DAY_MS = 24 * 60 * 60_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('waits for longer than the 24.8 days that setTimeout takes', () => {
  const run = vi.fn();
  systemAfter(60 * DAY_MS, run);
  vi.advanceTimersByTime(60 * DAY_MS - 1);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
});

it('can be cancelled after 24.8 days, too', () => {
  const run = vi.fn();
  const cancel = systemAfter(60 * DAY_MS, run);
  vi.advanceTimersByTime(30 * DAY_MS);
  cancel();
  vi.advanceTimersByTime(60 * DAY_MS);
  expect(run).not.toHaveBeenCalled();
});
