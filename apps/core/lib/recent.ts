const MOST = 10_000; // keys that are remembered

/** Tells whether a key was seen within the last `span_ms`; the time counts from when it was new. */
export function createRecent(clock: { now(): Date }, span_ms: number): (key: string) => boolean {
  const seen = new Map<string, number>(); // in the order of their times
  return (key) => {
    const now = clock.now().getTime();
    for (const [old, at] of seen) {
      if (now - at < span_ms && seen.size <= MOST) break;
      seen.delete(old);
    }
    if (seen.has(key)) return true;
    seen.set(key, now);
    return false;
  };
}
