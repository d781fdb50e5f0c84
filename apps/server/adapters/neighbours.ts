import { RUN_HEADER } from '#api/routes/operations.ts';
import { isConnectionRefused } from '#core/lib/connection-refused.ts';
import type { Neighbour, Neighbours } from '#core/ports/neighbours.ts';

const ANSWER_MS = 3000;

export function createNeighbours(): Neighbours {
  return { look: (url) => answerAt(url).catch(toNeighbour) };
}

async function answerAt(url: string): Promise<Neighbour> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const response = await fetch(`${url}/api/health`, { redirect: 'manual', signal });
  await response.body?.cancel();
  const run_digest = response.headers.get(RUN_HEADER);
  return run_digest === null ? { kind: 'silent' } : { kind: 'run', run_digest };
}

function toNeighbour(error: unknown): Neighbour {
  return { kind: isConnectionRefused(error) ? 'refused' : 'silent' };
}
