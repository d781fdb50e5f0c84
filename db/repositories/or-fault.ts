import { Fault, type FaultCode } from '#core/errors.ts';
import { isForeignKeyViolation, withoutValues } from '../driver-errors.ts';

/** The rows of the statement; the fault when a row that it refers to is not there, or one that refers to it is. */
export async function orFault<Rows>(code: FaultCode, statement: PromiseLike<Rows>): Promise<Rows> {
  try {
    return await statement;
  } catch (cause) {
    throw isForeignKeyViolation(cause) ? new Fault(code, undefined, { cause: withoutValues(cause) }) : cause;
  }
}
