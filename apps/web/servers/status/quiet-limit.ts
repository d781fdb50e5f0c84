/** A signal that also aborts after a silence, since a lost network may never report an error. */
export function createQuietLimit(outer: AbortSignal, first_ms: number) {
  const inner = new AbortController();
  const end = () => inner.abort();
  let timer = setTimeout(end, first_ms);
  outer.addEventListener('abort', end);
  if (outer.aborted) end();
  return {
    signal: inner.signal,
    /** Restarts the limit with this duration. */
    heard(then_ms: number) {
      clearTimeout(timer);
      timer = setTimeout(end, then_ms);
    },
    over() {
      clearTimeout(timer);
      outer.removeEventListener('abort', end);
      end();
    },
  };
}
