import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQuietLimit } from '../../../apps/web/servers/status/quiet-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('An inactivity limit', () => {
  it('aborts when nothing arrives at first', () => {
    const { signal } = createQuietLimit(new AbortController().signal, 10);
    vi.advanceTimersByTime(9);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  it('starts again after each activity', () => {
    const { signal, heard } = createQuietLimit(new AbortController().signal, 10);
    vi.advanceTimersByTime(9);
    heard(25);
    vi.advanceTimersByTime(24);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  it('aborts with its parent signal, even when that has aborted before', () => {
    const outer = new AbortController();
    const { signal } = createQuietLimit(outer.signal, 10);
    outer.abort();
    expect(signal.aborted).toBe(true);
    expect(createQuietLimit(outer.signal, 10).signal.aborted).toBe(true);
  });

  it('leaves no timer behind', () => {
    createQuietLimit(new AbortController().signal, 10).over();
    expect(vi.getTimerCount()).toBe(0);
  });
});
