import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Collects at once what nothing holds any more. */
export function collectGarbage(): void {
  if (typeof collect !== 'function') throw new Error('This runtime cannot collect garbage on demand');
  collect();
}
