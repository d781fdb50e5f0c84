export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Removes the listeners. */
  leave(): void;
}

/**
 * Aborts with the first of the signals. Unlike `AbortSignal.any`, it leaves nothing behind in long-lived signals (60 bytes
 * a call on Node.js 20, once for each file of a copy).
 */
export function joinSignals(...signals: readonly AbortSignal[]): JoinedSignal {
  const joined = new AbortController();
  const follow = () => joined.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', follow, { once: true });
  if (signals.some(({ aborted }) => aborted)) follow();
  return {
    signal: joined.signal,
    leave() {
      for (const signal of signals) signal.removeEventListener('abort', follow);
    },
  };
}
