import { QUESTION_HEADER, QUESTION_PATH } from '#api/routes/instances.ts';
import { RUN_HEADER } from '#api/routes/operations.ts';
import { isConnectionRefused } from '#core/lib/errors/connection-refused.ts';
import type { Neighbour, Neighbours } from '#core/ports/neighbours.ts';

const ANSWER_MS = 3000;
const ASKED_MS = 2000; // a caller waits

export function createNeighbours(): Neighbours {
  return {
    look: (url) => answerAt(url).catch(toNeighbour),
    ask: (url, signed) => answerTo(url, signed).catch(() => undefined), // an instance that is about to stop
  };
}

async function answerAt(url: string): Promise<Neighbour> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`${url}/api/health`, { redirect: 'manual', signal });
  await response.body?.cancel();
  const run_digest = response.headers.get(RUN_HEADER);
  return run_digest === null ? { kind: 'silent' } : { kind: 'run', run_digest };
}

async function answerTo(url: string, signed: string): Promise<string | undefined> {
  const init = { method: 'POST', headers: { [QUESTION_HEADER]: signed }, redirect: 'manual' } as const;
  const response = await fetch(url + QUESTION_PATH, { ...init, signal: AbortSignal.timeout(ASKED_MS) });
  if (response.status === 200) return response.text();
  await response.body?.cancel();
  return undefined;
}

function toNeighbour(error: unknown): Neighbour {
  return { kind: isConnectionRefused(error) ? 'refused' : 'silent' };
}
