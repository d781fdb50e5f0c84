import { Fault, type FaultCode } from '#core/errors.ts';
import { isForeignKeyViolation, withoutValues } from '../driver-errors.ts';

/**
 * The rows of the statement; the fault when it is refused for such a violation, as a rule because a row that it
 * refers to is not there, or one that refers to it is.
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
