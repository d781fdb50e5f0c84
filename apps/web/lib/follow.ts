import { ClientError } from '#client/client-error.ts';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
const HELD_MS = 30_000; // a round that lasted so long had nothing wrong at its beginning

/** One attempt: returns when it is over and the gateway still answers, throws when it does not. */
export type Round = (signal: AbortSignal, reached: () => void) => Promise<void>;

export interface Following {
  /** From the beginning, unless it is running. */
  start(): void;
  stop(): void;
}

/** Round after round until it is stopped, or until the gateway says that it is not for this user. */
export function follow(round: Round, random = Math.random): Following {
  let present: AbortController | undefined;

  async function run({ signal }: AbortController): Promise<void> {
    const turns = createTurns(round);
    while (!signal.aborted && (await turns.take(signal)))
      await pause(retryDelay(turns.count(), random), signal);
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

/** What came in a row: failures since the gateway was reached, or else rounds that soon were over. */
function createTurns(round: Round) {
  let failures = 0;
  let short_rounds = 0;
  const reached = () => {
    failures = 0;
  };
  return {
    count: () => failures || short_rounds,
    /** Whether there is any use in another one. */
    async take(signal: AbortSignal): Promise<boolean> {
      const begun = performance.now();
      try {
        await round(signal, reached);
      } catch (error) {
        failures += 1;
        return !isFinal(error);
      }
      failures = 0;
      short_rounds = performance.now() - begun > HELD_MS ? 1 : short_rounds + 1;
      return true;
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
