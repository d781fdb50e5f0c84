import { Fault } from '#core/errors.ts';

export const WRONG_ANSWER = 'The recordings store sent something else than it announced';

const WORD = /^[A-Za-z]{1,60}$/;
const UNKNOWN_UPLOAD = 'NoSuchUpload';

/** Never carries what the store wrote: its answers may quote the request, with names and signatures. */
export function storeFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { name, status } = answerIn(error);
  const cause = new Error(`${name}${status === undefined ? '' : ` (HTTP ${status})`}`);
  if (status === 404 && name !== 'NoSuchBucket' && name !== UNKNOWN_UPLOAD)
    return new Fault('recording_file_missing', undefined, { cause });
  const is_refusal = status !== undefined && status >= 300 && status < 500 && status !== 429;
  return new Fault(is_refusal ? 'recording_store_refused' : 'recording_store_unreachable', undefined, {
    cause,
  });
}

/** The store has dropped the upload, or has finished it although its answer was lost. */
export function isUnknownUpload(error: unknown): boolean {
  return (
    error instanceof Fault && error.cause instanceof Error && error.cause.message.startsWith(UNKNOWN_UPLOAD)
  );
}

interface Answer {
  readonly name: string;
  readonly status: number | undefined;
}

function answerIn(error: unknown): Answer {
  if (!(error instanceof Error)) return { name: 'Error', status: undefined };
  const code =
    'code' in error && typeof error.code === 'string' && /^[A-Z_]{1,60}$/.test(error.code)
      ? error.code
      : undefined;
  const name = code ?? (WORD.test(error.name) ? error.name : 'Error');
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  const status =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : undefined;
  return { name, status: typeof status === 'number' ? status : undefined };
}
