import { Fault } from '../errors.ts';

/** The host says that it does not exist. */
export function isAbsent(error: unknown): error is Fault {
  return (
    error instanceof Fault && ['file_not_found', 'permission_denied', 'not_a_directory'].includes(error.code)
  );
}
