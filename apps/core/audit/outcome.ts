import { Fault } from '../errors.ts';
import type { Background } from '../ports/runtime.ts';

const LOST = new Set(['client_left', 'host_disconnected', 'operation_timeout', 'transfer_ended']);

/** The answer was lost, so the host may or may not have made the change. */
export function isOutcomeUnknown(error: unknown): error is Fault {
  return error instanceof Fault && LOST.has(error.code);
}

/** Records a change that the host made, or may have made; then `ending` carries the error code. */
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
 * A database write whose answer was lost may have been carried out. It is recorded in the background, once the
 * database is back.
 */
export async function orRecorded<T>(
  write: Promise<T>,
  background: Background,
  record: (ending: string) => Promise<void>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const is_lost = error instanceof Fault && error.code === 'database_unavailable';
    if (is_lost && !error.options.is_undone) {
      background.run('audit a change without an answer', record(`: ${error.code}`));
    }
    throw error;
  }
}
