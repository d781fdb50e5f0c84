const MOST = 10_000; // keys that are remembered

export interface Recent {
  has(key: string): boolean;
  add(key: string): void;
}

/** Remembers keys for `span_ms` from when each was new. */
export function createRecent(clock: { now(): Date }, span_ms: number): Recent {
  const seen = new Map<string, number>(); // in the order of their times
  function forgetOld(): void {
    const now = clock.now().getTime();
    for (const [old, at] of seen) {
      if (now - at < span_ms && seen.size <= MOST) break;
      seen.delete(old);
    }
  }
  return {
    has(key) {
      forgetOld();
      return seen.has(key);
    },
    add(key) {
      if (!seen.has(key)) seen.set(key, clock.now().getTime());
    },
  };
}

/** Tells whether a key was seen within the last `span_ms`, and remembers it. */
export function createRepeated(clock: { now(): Date }, span_ms: number): (key: string) => boolean {
  const recent = createRecent(clock, span_ms);
  return (key) => {
    const is_repeated = recent.has(key);
    recent.add(key);
    return is_repeated;
  };
}
