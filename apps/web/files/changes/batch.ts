import { ClientError } from '#client/transport/client-error.ts';

export interface BatchFailure {
  readonly path: string;
  readonly error: unknown;
}

export interface BatchOutcome {
  readonly done: readonly string[];
  readonly failures: readonly BatchFailure[];
  /** Not started, because the run was canceled or stopped. */
  readonly left: readonly string[];
}

interface Options {
  readonly signal: AbortSignal;
  readonly onProgress: (finished: number) => void;
}

const HOPELESS_CODES: ReadonlySet<string> = new Set([
  'credentials_required',
  'demo_mode',
  'server_not_found',
  'sftp_disabled',
  'sftp_read_only',
]);
const HOPELESS_STATUSES: ReadonlySet<number> = new Set([0, 401, 429, 502, 503, 504, 507]);
const WIDTH = 4; // concurrent operations: round trips overlap, and the host stays responsive

/** Runs one operation per path. A failure does not stop the others, but a lost host does. */
export async function runBatch(
  paths: readonly string[],
  work: (path: string) => Promise<unknown>,
  { signal, onProgress }: Options,
): Promise<BatchOutcome> {
  const left = [...paths];
  const done: string[] = [];
  const failures: BatchFailure[] = [];
  let is_over = false;

  async function runOne(path: string): Promise<void> {
    try {
      await work(path);
      done.push(path);
    } catch (error) {
      if (signal.aborted) left.push(path);
      else failures.push({ path, error });
      is_over ||= isHopeless(error);
    }
    onProgress(done.length + failures.length);
  }
  async function runNext(): Promise<void> {
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      await runOne(path);
      if (is_over || signal.aborted) return;
    }
  }
  await Promise.all(Array.from({ length: Math.min(WIDTH, paths.length) }, runNext));
  return { done, failures, left };
}

/** Whether all further operations would fail too. */
function isHopeless(error: unknown): boolean {
  return (
    !(error instanceof ClientError) || HOPELESS_STATUSES.has(error.status) || HOPELESS_CODES.has(error.code)
  );
}
