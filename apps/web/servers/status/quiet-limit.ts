/** A signal that also aborts when nothing is heard for long: the network may have gone without a word. */
export function createQuietLimit(outer: AbortSignal, first_ms: number) {
  const inner = new AbortController();
  const end = () => inner.abort();
  let timer = setTimeout(end, first_ms);
  outer.addEventListener('abort', end);
  if (outer.aborted) end();
  return {
    signal: inner.signal,
    /** From now on it may be quiet for so long. */
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
