import { ClientError } from '#client/client-error.ts';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

/** One attempt: returns or throws when it is over. */
export type Round = (signal: AbortSignal) => Promise<void>;

export interface Following {
  /** From the beginning, unless it is running. */
  start(): void;
  stop(): void;
}

/** Round after round until it is stopped, or until the gateway says that it is not for this user. */
export function follow(round: Round, random = Math.random): Following {
  let present: AbortController | undefined;

  async function run({ signal }: AbortController): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const begun = performance.now();
      try {
        await round(signal);
      } catch (error) {
        if (isFinal(error)) return;
      }
      const has_held = performance.now() - begun > MAX_WAIT_MS;
      failures = has_held ? 1 : failures + 1;
      await pause(retryDelay(failures, random), signal);
    }
  }

  return {
    start() {
      if (present) return;
      present = new AbortController();
      void run(present);
    },
    stop() {
      present?.abort();
      present = undefined;
    },
  };
}

/** Doubles with each failure in a row; jittered, so that a gateway that is back is not met by all at once. */
export function retryDelay(failures: number, random: () => number): number {
  const most = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
  return most * (0.5 + random() / 2);
}

/** The sign-in is over, or not enough: asking again helps nobody. */
export function isFinal(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 401 || error.status === 403);
}

/** Ends early when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
