import { DrizzleQueryError } from 'drizzle-orm';

const FOREIGN_KEY = new Set(['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']);
// Serialization failure, deadlock, lock not available, and SQLite's lock held by another process.
const PASSING = new Set(['40001', '40P01', '55P03', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT']);

export function isForeignKeyViolation(error: unknown): boolean {
  return FOREIGN_KEY.has(codeOf(error));
}

/** True when the same statement may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  return PASSING.has(codeOf(error));
}

/** The driver's own words, without the statement and its values that Drizzle puts around them. */
export function driverMessage(error: unknown): string {
  const root = rootOf(error);
  const message = root instanceof Error ? root.message : String(root);
  return message || codeOf(error); // Node's refusal on both ::1 and 127.0.0.1 has no message of its own
}

/** Drizzle writes the values of a failed statement, hashes and sealed credentials too, into its error. */
class StatementFailed extends Error {
  readonly code: string;

  constructor({ query, cause }: DrizzleQueryError) {
    super(`${driverMessage(cause)} in: ${query}`);
    this.name = 'StatementFailed';
    this.code = codeOf(cause);
  }
}

/** The error, fit for a log. */
export function withoutValues(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? new StatementFailed(error) : error;
}

/** SQLSTATE or SQLite's name of the failure; empty when there is none. */
function codeOf(error: unknown): string {
  const root = rootOf(error);
  const code = root instanceof Error && 'code' in root ? root.code : undefined;
  return typeof code === 'string' ? code : '';
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}
