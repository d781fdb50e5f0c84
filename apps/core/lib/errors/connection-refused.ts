/** True if the host answered that nobody listens on the port. */
export function isConnectionRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isConnectionRefused); // one for each address of the host
  return ('code' in error && error.code === 'ECONNREFUSED') || isConnectionRefused(error.cause);
}
