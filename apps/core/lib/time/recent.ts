import type { Elapsed } from './timers.ts';

const MOST = 10_000; // keys

export interface Recent {
  has(key: string): boolean;
  add(key: string): void;
}

/** Remembers keys for `span_ms` after each was first added. */
export function createRecent(clock: Elapsed, span_ms: number): Recent {
  const seen = new Map<string, number>(); // oldest first
  function forgetOld(): void {
    const now_ms = clock.elapsed_ms();
    for (const [old, at_ms] of seen) {
      if (now_ms - at_ms < span_ms && seen.size <= MOST) break;
      seen.delete(old);
    }
  }
  return {
    has(key) {
      forgetOld();
      return seen.has(key);
    },
    add(key) {
      if (!seen.has(key)) seen.set(key, clock.elapsed_ms());
    },
  };
}

/** Returns whether a key was seen within the last `span_ms`, and remembers it. */
export function createRepeated(clock: Elapsed, span_ms: number): (key: string) => boolean {
  const recent = createRecent(clock, span_ms);
  return (key) => {
    const is_repeated = recent.has(key);
    recent.add(key);
    return is_repeated;
  };
}
