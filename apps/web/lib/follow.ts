import { ClientError } from '#client/transport/client-error.ts';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
const HEALTHY_ROUND_MS = 30_000; // a round that lasted this long counts as healthy and resets the backoff

/** One round: returns when it ends while the gateway still answers, and throws when it does not. */
export type Round = (signal: AbortSignal, reached: () => void) => Promise<void>;

export interface Following {
  /** Starts afresh, unless already running. */
  start(): void;
  stop(): void;
}

/** Repeats rounds with backoff until stopped, or until the gateway denies this user access. */
export function follow(round: Round, random = Math.random): Following {
  let present: AbortController | undefined;

  async function run({ signal }: AbortController): Promise<void> {
    const rounds = createRounds(round);
    while (!signal.aborted && (await rounds.run(signal)))
      await pause(retryDelay(rounds.streak(), random), signal);
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

/** Counts consecutive failures, or consecutive rounds that ended early. */
function createRounds(round: Round) {
  let failures = 0;
  let short_rounds = 0;
  const reached = () => {
    failures = 0;
  };
  return {
    streak: () => failures || short_rounds,
    /** Runs one round and resolves to whether another one makes sense. */
    async run(signal: AbortSignal): Promise<boolean> {
      const begun = performance.now();
      try {
        await round(signal, reached);
      } catch (error) {
        failures += 1;
        return !isFinal(error);
      }
      failures = 0;
      short_rounds = performance.now() - begun > HEALTHY_ROUND_MS ? 1 : short_rounds + 1;
      return true;
    },
  };
}

/** Exponential backoff with jitter, so that clients do not all return at once. */
export function retryDelay(failures: number, random: () => number): number {
  const most = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
  return most * (0.5 + random() / 2);
}

/** Signed out or not permitted: retrying cannot help. */
export function isFinal(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 401 || error.status === 403);
}

/** Resolves early when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
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
