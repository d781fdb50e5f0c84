import { Fault } from '../errors.ts';

const LOST = new Set(['host_disconnected', 'operation_timeout', 'transfer_ended']);

/** The answer was lost: the host may have done it all the same. */
export function isOutcomeUnknown(error: unknown): error is Fault {
  return error instanceof Fault && LOST.has(error.code);
}

/** Records a change that the host has made, or may have made: then with the code of what came in between. */
export async function recordOutcome(
  change: Promise<unknown>,
  record: (ending: string) => Promise<void>,
): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (isOutcomeUnknown(error)) await record(`: ${error.code}`);
    throw error;
  }
  await record('');
}
