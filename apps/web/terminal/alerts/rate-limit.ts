const APART_MS = 1000;
const MOST_APART_MS = 60_000;

export interface RateLimit<T> {
  offer(value: T): void;
  /** Drops what waits. */
  clear(): void;
}

/** Shows the first value at once and of a burst only the newest, at most one a second. The pause doubles while values keep coming. */
export function createRateLimit<T>(show: (newest: T, count: number) => void): RateLimit<T> {
  let waiting: { readonly newest: T; readonly count: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let apart_ms = 0;
  let shown_at = Number.NEGATIVE_INFINITY;

  function pass(value: T, count: number): void {
    const now = performance.now();
    const is_burst = now - shown_at <= 2 * apart_ms;
    apart_ms = is_burst ? Math.min(2 * apart_ms, MOST_APART_MS) : APART_MS;
    shown_at = now;
    timer = setTimeout(next, apart_ms);
    show(value, count);
  }

  function next(): void {
    timer = undefined;
    const due = waiting;
    waiting = undefined;
    if (due) pass(due.newest, due.count);
  }

  return {
    offer(newest) {
      if (timer === undefined) pass(newest, 1);
      else waiting = { newest, count: (waiting?.count ?? 0) + 1 };
    },
    clear() {
      waiting = undefined;
    },
  };
}
