import type { AppContext, Runtime } from './env.ts';

/** Aborts when the client disconnects. */
export function goneSignal(c: AppContext, runtime: Pick<Runtime, 'onGone'>): AbortSignal {
  const gone = new AbortController();
  runtime.onGone(c, () => gone.abort());
  return gone.signal;
}
