import { DrizzleQueryError } from 'drizzle-orm';

const FOREIGN_KEY = new Set(['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']);
const UNIQUE = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const NULL = new Set(['23502', 'SQLITE_CONSTRAINT_NOTNULL']);
const FULL = new Set(['53100', 'SQLITE_FULL']);
// Serialization failure, deadlock, lock not available, and a statement that waited too long.
const PASSING = new Set(['40001', '40P01', '55P03', '57014']);
// What the PostgreSQL server says of itself and of our connection: cancelled after `statement_timeout`, shutting down,
// crashed, starting, too many connections, cut while idle in a transaction, no such role, password or database,
// read-only since another one is the primary now, short of resources, or in a knot that it has cut through.
const UNAVAILABLE =
  /^(57014|57P0[1-5]|53...|25006|25P0[34]|40001|40P01|55P03|08...|28...|3D000|NO_ANSWER|CONNECTION_LOST|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))$/;

/** The deadline passed: the statement may have been carried out, and its answer is lost. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';

  constructor(deadline_ms: number) {
    super(`The database did not answer within ${deadline_ms / 1000} s`);
    this.name = 'NoAnswer';
  }
}

export class ConnectionLost extends Error {
  readonly code = 'CONNECTION_LOST';
}

export function isForeignKeyViolation(error: unknown): boolean {
  return FOREIGN_KEY.has(codeOf(error));
}

export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE.has(codeOf(error));
}

export function isNullViolation(error: unknown): boolean {
  return NULL.has(codeOf(error));
}

/** True while another process writes to SQLite's file; nothing was done. */
export function isLocked(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

/** True when the same statement may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  return isLocked(error) || PASSING.has(codeOf(error));
}

/** True when it is the database that does not answer, as against an answer that is a refusal. */
export function isUnavailable(error: unknown): boolean {
  const root = rootOf(error);
  const isSystem = root instanceof Error && 'syscall' in root; // refused, reset, unknown host …
  return isSystem || isLocked(error) || UNAVAILABLE.test(codeOf(error));
}

/** True when there is no room to write: nothing was done, and reading goes on. */
export function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
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
