import { DrizzleQueryError } from 'drizzle-orm';

const FOREIGN_KEY = new Set(['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']);
const UNIQUE = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
const NULL = new Set(['23502', 'SQLITE_CONSTRAINT_NOTNULL']);
const FULL = new Set(['53100', 'SQLITE_FULL', 'ENOSPC']);
// Serialization failure, deadlock, lock not available, statement timeout.
const CONFLICT = new Set(['40001', '40P01']);
const PASSING = new Set([...CONFLICT, '55P03', '57014']);
// Before any answer, or by an administrator, a crash or an idle timeout.
const LOST = new Set([
  ...['57P01', '57P02', '57P05', '25P03', '08006', '08003'],
  ...['CONNECTION_LOST', 'CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'ECONNRESET', 'EPIPE'],
]);
const UNANSWERED = new Set(['NO_ANSWER', 'CONNECT_TIMEOUT']);
// PostgreSQL errors about the server or the connection: statement timeout, shutdown, crash, startup, too many connections,
// idle-in-transaction timeout, unknown role, password or database, read-only after a failover, out of resources, deadlock.
const UNAVAILABLE =
  /^(57014|57P0[1-5]|53...|25006|25P0[34]|40001|40P01|55P03|08...|28...|3D000|NO_ANSWER|CONNECTION_LOST|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED))$/;

/** The deadline passed: the statement may have been executed, but its result is lost. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';

  /** Without a number, the statement was not sent. */
  constructor(deadline_ms?: number) {
    const what =
      deadline_ms === undefined ? 'does not answer' : `did not answer within ${deadline_ms / 1000} s`;
    super(`The database ${what}`);
    this.name = 'NoAnswer';
  }
}

export class ConnectionLost extends Error {
  readonly code = 'CONNECTION_LOST';
}

export class DatabaseClosed extends Error {
  readonly code = 'CONNECTION_ENDED';
}

/** True if PostgreSQL refused a write because of a constraint. */
export function isConstraintViolation(error: unknown): boolean {
  return errorCode(error).startsWith('23');
}

export function isForeignKeyViolation(error: unknown): boolean {
  return FOREIGN_KEY.has(errorCode(error));
}

export function isUniqueViolation(error: unknown): boolean {
  return UNIQUE.has(errorCode(error));
}

export function isNullViolation(error: unknown): boolean {
  return NULL.has(errorCode(error));
}

/** True if another process is writing to the SQLite file; nothing was done. */
export function isLocked(error: unknown): boolean {
  return errorCode(error).startsWith('SQLITE_BUSY');
}

/** True if PostgreSQL has rolled the transaction back because of concurrent ones: a serialization failure or a deadlock. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.has(errorCode(error));
}

/** True if PostgreSQL has rolled the statement back because it was cancelled, or met its timeout. */
export function isCancelled(error: unknown): boolean {
  return errorCode(error) === '57014';
}

/** True if a connection that had been used was lost. */
export function isLost(error: unknown): boolean {
  return LOST.has(errorCode(error));
}

/** True if PostgreSQL answered with an error after which the connection goes on: the transaction is rolled back. */
export function isRefusal(error: unknown): boolean {
  return Reflect.get(Object(rootOf(error)), 'severity') === 'ERROR';
}

const undone = new WeakSet<object>();

/** Notes on the error that nothing was written. */
export function markUndone(error: unknown): unknown {
  const root = rootOf(error);
  if (root instanceof Error) undone.add(root);
  return error;
}

/** True if nothing was written; otherwise something may have been. */
export function isUndone(error: unknown): boolean {
  const root = rootOf(error);
  return isLocked(root) || (root instanceof Error && undone.has(root));
}

/** True if a retry may succeed. */
export function isPassing(error: unknown): boolean {
  return isLocked(error) || PASSING.has(errorCode(error));
}

/** True if the database is unavailable, as opposed to an error about the statement. */
export function isUnavailable(error: unknown): boolean {
  return isSystemError(error) || isLocked(error) || UNAVAILABLE.test(errorCode(error));
}

/** True if the server said nothing, not even an error. */
export function isUnanswered(error: unknown): boolean {
  return UNANSWERED.has(errorCode(error)) || isSystemError(error);
}

/** True if the disk is full: nothing was written, and reads still work. */
export function isFull(error: unknown): boolean {
  return FULL.has(errorCode(error));
}

/** The driver's message without the statement and values that Drizzle adds. */
export function driverMessage(error: unknown): string {
  const root = rootOf(error);
  const message = root instanceof Error ? root.message : String(root);
  return message || errorCode(error); // a connection refused on both ::1 and 127.0.0.1 has an empty message
}

/** Replaces Drizzle's error, which contains the statement's values, including hashes and sealed credentials. */
class StatementFailed extends Error {
  readonly code: string;

  constructor({ query, cause }: DrizzleQueryError) {
    super(`${driverMessage(cause)} in: ${query}`);
    this.name = 'StatementFailed';
    this.code = errorCode(cause);
  }
}

/** The error without statement values, safe to log. */
export function withoutValues(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? new StatementFailed(error) : error;
}

/** Refused, reset, unknown host … */
function isSystemError(error: unknown): boolean {
  const root = rootOf(error);
  return root instanceof Error && 'syscall' in root;
}

/** SQLSTATE, SQLite's error code or that of a system call; empty if there is none. */
export function errorCode(error: unknown): string {
  const root = rootOf(error);
  const code = root instanceof Error && 'code' in root ? root.code : undefined;
  return typeof code === 'string' ? code : '';
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}
