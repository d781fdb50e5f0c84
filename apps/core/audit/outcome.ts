import { Fault } from '../errors.ts';
import type { Background } from '../ports/runtime.ts';

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

/**
 * A write to our own database whose answer was lost may have been carried out, too: it is recorded in the background,
 * as soon as that can be done.
 */
export async function orRecorded<T>(
  write: Promise<T>,
  background: Background,
  record: (ending: string) => Promise<void>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof Fault && error.code === 'database_unavailable') {
      background.run('audit a change without an answer', record(`: ${error.code}`));
    }
    throw error;
  }
}
