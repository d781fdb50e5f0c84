import type { AppContext, Runtime } from './env.ts';

/** Aborts when the client disconnects. */
export function goneSignal(c: AppContext, runtime: Pick<Runtime, 'onGone'>): AbortSignal {
  const gone = new AbortController();
  runtime.onGone(c, () => gone.abort());
  return gone.signal;
}

/** `signal` aborts when the client disconnects, `answered` also when it has the whole answer. */
export function answerSignals(c: AppContext, runtime: Pick<Runtime, 'onGone' | 'onAnswered'>) {
  const over = new AbortController();
  runtime.onAnswered(c, () => over.abort());
  return { signal: goneSignal(c, runtime), answered: over.signal };
}
