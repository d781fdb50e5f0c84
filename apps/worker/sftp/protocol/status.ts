import { Fault, type FaultCode } from '#core/errors.ts';
import { codeOf } from '#core/lib/errors/error-code.ts';
import { STATUS_UNSUPPORTED } from './wire.ts';

// Version 3 has no code for most errors: sshd answers FAILURE, and BAD_MESSAGE to what it takes for a wrong argument.
const FAILURE = 4;
const BAD_MESSAGE = 5;

const FAULTS: Readonly<Record<number, [FaultCode, string | undefined]>> = {
  2: ['file_not_found', undefined],
  3: ['permission_denied', undefined],
  [BAD_MESSAGE]: ['sftp_failed', 'The SFTP server did not accept the request'],
  6: ['host_disconnected', undefined],
  7: ['host_disconnected', undefined],
  [STATUS_UNSUPPORTED]: ['sftp_failed', 'The SFTP server does not support this operation'],
};

export function sftpFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const code = codeOf(error);
  // ssh2 fails pending requests without a code when the channel is gone.
  if (typeof code !== 'number') return new Fault('host_disconnected', undefined, { cause: error });
  const [fault, detail] = FAULTS[code] ?? ['sftp_failed', undefined];
  return new Fault(fault, detail, { cause: error });
}

/** The server does not implement this request. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof Fault && codeOf(error.cause) === STATUS_UNSUPPORTED;
}

/** The server refused without a reason; `failures.ts` finds the likely one. */
export function isUnexplained(error: unknown): error is Fault {
  if (!(error instanceof Fault) || error.code !== 'sftp_failed') return false;
  const code = codeOf(error.cause);
  return code === FAILURE || code === BAD_MESSAGE;
}
