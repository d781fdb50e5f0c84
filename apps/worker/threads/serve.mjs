// @ts-check
import { parentPort } from 'node:worker_threads';

/**
 * @template {import('./threads.ts').Verbs<V>} V
 * @typedef {{ [K in keyof V]: (order: V[K]['request']) => V[K]['response'] | Promise<V[K]['response']> }} Served
 */

/**
 * Answers each request with what its verb returns or throws; synchronous verbs run in order. The `buffer` of a response
 * is transferred.
 * @param {Record<string, (order: any) => any>} verbs
 */
export function serve(verbs) {
  parentPort?.on('message', async ({ seq, verb, order }) => {
    try {
      const answer = await verbs[verb]?.(order);
      parentPort?.postMessage({ seq, answer }, answer?.buffer ? [answer.buffer] : []);
    } catch (error) {
      parentPort?.postMessage({ seq, error: errorReply(error) });
    }
  });
  beat(); // it has started
}

/** Reports that the thread is still working. */
export function beat() {
  parentPort?.postMessage({ seq: 0 });
}

/** @param {unknown} error */
function errorReply(error) {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  return { code: 'code' in error ? error.code : undefined, message: error.message };
}
