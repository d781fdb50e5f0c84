import { Fault, type FaultCode } from '#core/errors.ts';
import { isForeignKeyViolation, withoutValues } from '../driver-errors.ts';

/**
 * Turns a constraint violation into a Fault: by default a foreign key violation, because a referenced row is missing or
 * the row is still referenced.
 */
export async function orFault<Rows>(
  code: FaultCode,
  statement: PromiseLike<Rows>,
  isViolation = isForeignKeyViolation,
): Promise<Rows> {
  try {
    return await statement;
  } catch (cause) {
    throw isViolation(cause) ? new Fault(code, undefined, { cause: withoutValues(cause) }) : cause;
  }
}
